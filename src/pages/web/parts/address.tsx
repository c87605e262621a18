/** A text in which a long address breaks after its @, before it breaks anywhere. */
export function WithAddress({ children }: { children: string }) {
  const [first, ...rest] = children.split(/(?<=@)/);
  return (
    <>
      {first}
      {rest.map((part) => (
        <>
          <wbr />
          {part}
        </>
      ))}
    </>
  );
}
