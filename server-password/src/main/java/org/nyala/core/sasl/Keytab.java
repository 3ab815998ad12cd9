package org.nyala.core.sasl;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The names in a keytab, which the JDK does not tell: its format is that of MIT Kerberos, version
 * 2. Stateless.
 */
final class Keytab {
  /** A key takes some hundred bytes. */
  private static final long MOST_BYTES = 1 << 20;

  private static final short VERSION = 0x0502;

  private Keytab() {}

  /**
   * Returns the principals that a file has keys of, as {@code name/instance@REALM}.
   *
   * @throws IOException if it cannot be read, or is no keytab
   */
  static SequencedSet<String> principals(Path file) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new IOException(file + " is too long for a keytab");
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    SequencedSet<String> principals = new LinkedHashSet<>();
    try {
      if (bytes.getShort() != VERSION) {
        throw new IOException(file + " is not a keytab of version 2");
      }
      while (bytes.remaining() >= Integer.BYTES) {
        int length = bytes.getInt();
        int end = Math.addExact(bytes.position(), Math.absExact(length));
        // The place of a key that was removed has a negative length.
        if (length > 0) {
          principals.add(principal(bytes.slice(bytes.position(), length)));
        }
        bytes.position(end);
      }
    } catch (BufferUnderflowException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | ArithmeticException e) {
      throw new IOException(file + " is not a whole keytab", e);
    }
    return principals;
  }

  private static String principal(ByteBuffer entry) {
    int parts = entry.getShort();
    String realm = text(entry);
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < parts; i++) {
      name.append(i == 0 ? "" : "/").append(text(entry));
    }
    return name.append('@').append(realm).toString();
  }

  private static String text(ByteBuffer entry) {
    byte[] text = new byte[Short.toUnsignedInt(entry.getShort())];
    entry.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
