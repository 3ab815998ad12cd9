package org.nyala.netty.tls;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A block of a PEM file (RFC 7468).
 *
 * @param label its label, such as {@code PRIVATE KEY}
 * @param isEncrypted true if it is encrypted in the form before PKCS#8, with headers of its own
 * @param content its content, decoded
 */
record PemBlock(String label, boolean isEncrypted, byte[] content) {
  private static final String BEGIN = "-----BEGIN ";
  private static final String END = "-----END ";
  private static final String DASHES = "-----";
  private static final String ENCRYPTED_HEADER = "Proc-Type: 4,ENCRYPTED";

  /**
   * Returns the blocks of a text; text outside of them is ignored, as is one without an end.
   *
   * @throws IllegalArgumentException if one is not in Base64
   */
  static List<PemBlock> read(String text) {
    List<PemBlock> blocks = new ArrayList<>();
    StringBuilder content = new StringBuilder();
    @Nullable String label = null;
    boolean isEncrypted = false;
    for (String line : text.lines().map(String::strip).toList()) {
      if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
        label = line.substring(BEGIN.length(), Math.max(BEGIN.length(), line.length() - 5));
        content.setLength(0);
        isEncrypted = false;
      } else if (label != null && line.equals(END + label + DASHES)) {
        byte[] decoded = isEncrypted ? new byte[0] : Base64.getDecoder().decode(content.toString());
        blocks.add(new PemBlock(label, isEncrypted, decoded));
        label = null;
      } else if (line.indexOf(':') >= 0) {
        isEncrypted |= line.equals(ENCRYPTED_HEADER);
      } else if (label != null) {
        content.append(line);
      }
    }
    return blocks;
  }
}
