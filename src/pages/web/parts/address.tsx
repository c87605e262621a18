/** A text in which a long address breaks after its @, or one of a network after a colon, before it breaks anywhere. */
export function WithBreaks({ children }: { children: string }) {
  const [first, ...rest] = children.split(/(?<=[@:])/);
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

/** An address, or what else a person typed: it is read in its own direction, whatever stands around it. */
export function WithAddress({ children }: { children: string }) {
  return (
    <bdi>
      <WithBreaks>{children}</WithBreaks>
    </bdi>
  );
}
