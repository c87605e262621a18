/**
 * A text in which a long address breaks after its @, or one of a network after a colon, before it breaks anywhere. It is read
 * from left to right, whatever stands around it.
 */
export function WithAddress({ children }: { children: string }) {
  const [first, ...rest] = children.split(/(?<=[@:])/);
  return (
    <bdi>
      {first}
      {rest.map((part) => (
        <>
          <wbr />
          {part}
        </>
      ))}
    </bdi>
  );
}
