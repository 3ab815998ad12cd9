package org.nyala.comparison;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.comparison.EntryAssembly.EntryName;
import org.nyala.core.ldif.LdifChunk;
import org.nyala.core.ldif.LdifChunkReader;
import org.nyala.core.ldif.LdifInput;
import org.nyala.core.ldif.LdifLimits;
import org.nyala.core.ldif.LdifParser;
import org.nyala.core.ldif.LdifRecord;
import org.nyala.error.ErrorMessages;

/**
 * The entries of an LDIF file, which may be compressed. A record that cannot be read is an error,
 * as is a file without an entry at or below the base.
 *
 * <p>Confined to one thread.
 *
 * @param base the name of the entry at the top of what is compared; null for all entries
 */
public record LdifSource(Path file, EntryAssembly assembly, @Nullable String base)
    implements EntrySource {
  private static final int CHUNK_BYTES = 1 << 20;

  @Override
  public String label() {
    return file.toString();
  }

  @Override
  public void read(Consumer<ComparedEntry> reader) throws IOException {
    LdifLimits limits = LdifLimits.DEFAULT;
    LdifParser parser = new LdifParser(limits, file.toAbsolutePath().resolveSibling(""));
    LdifChunk chunk = new LdifChunk(CHUNK_BYTES);
    LdifRecord record = new LdifRecord();
    EntryName top = base == null ? null : assembly.base(base);
    boolean isAny = top == null;
    try (LdifChunkReader chunks =
        new LdifChunkReader(LdifInput.open(Files.newInputStream(file)), limits)) {
      while (chunks.next(chunk)) {
        parser.start(chunk);
        while (parser.next(record)) {
          isAny |= take(record, top, reader);
        }
      }
    }
    if (!isAny) {
      throw new IOException(file + ": there is no entry at or below " + base);
    }
  }

  /** Passes an entry on; returns false if it does not count. */
  private boolean take(LdifRecord record, @Nullable EntryName top, Consumer<ComparedEntry> reader)
      throws IOException {
    String error = record.error();
    if (error != null) {
      throw wrong(record.errorLine(), error);
    }
    try {
      assembly.begin(record.dnBytes());
    } catch (IOException e) {
      throw wrong(record.line(), ErrorMessages.line(e));
    }
    if (top != null && !assembly.isWithin(top)) {
      return false;
    }
    for (int i = 0; i < record.size(); i++) {
      int start = record.valueStart(i);
      assembly.add(
          new String(
              record.nameBytes(i),
              record.nameStart(i),
              record.nameLength(i),
              StandardCharsets.US_ASCII),
          Arrays.copyOfRange(record.valueBytes(i), start, start + record.valueLength(i)));
    }
    reader.accept(assembly.end());
    return true;
  }

  private IOException wrong(long line, String reason) {
    return new IOException(file + ", line " + line + ": " + ErrorMessages.printable(reason));
  }
}
