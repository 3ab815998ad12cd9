package org.nyala.netty.tls;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The strength of ciphers, in bits of their keys. Stateless. */
final class CipherStrength {
  private static final Pattern AES = Pattern.compile("AES_(\\d{3})_");
  private static final int CHACHA20_BITS = 256;

  private CipherStrength() {}

  /**
   * Returns the bits of the key of a suite by its registered name, such as {@code
   * TLS_AES_128_GCM_SHA256}; 0 for ciphers that are not in use any more.
   */
  static int bits(String suite) {
    Matcher aes = AES.matcher(suite);
    if (aes.find()) {
      return Integer.parseInt(aes.group(1));
    }
    return suite.contains("CHACHA20_POLY1305") ? CHACHA20_BITS : 0;
  }
}
