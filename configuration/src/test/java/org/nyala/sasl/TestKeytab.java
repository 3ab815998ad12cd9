package org.nyala.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keytabs of principals that no KDC knows. */
public final class TestKeytab {
  private static final int AES_256 = 18;

  private TestKeytab() {}

  /** Writes a keytab with a key of zeros for each principal, as {@code name/instance@REALM}. */
  public static void write(Path file, String... principals) throws IOException {
    ByteArrayOutputStream keytab = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(keytab);
    out.writeShort(0x0502);
    for (String principal : principals) {
      byte[] entry = entry(principal);
      // The place of a key that was removed, and the key.
      out.writeInt(-3);
      out.write(new byte[3]);
      out.writeInt(entry.length);
      out.write(entry);
    }
    Files.write(file, keytab.toByteArray());
  }

  private static byte[] entry(String principal) throws IOException {
    int slash = principal.indexOf('/');
    int at = principal.indexOf('@');
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(entry);
    out.writeShort(2);
    text(out, principal.substring(at + 1));
    text(out, principal.substring(0, slash));
    text(out, principal.substring(slash + 1, at));
    out.writeInt(1);
    out.writeInt(0);
    out.writeByte(1);
    out.writeShort(AES_256);
    out.writeShort(32);
    out.write(new byte[32]);
    return entry.toByteArray();
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    out.writeShort(bytes.length);
    out.write(bytes);
  }
}
