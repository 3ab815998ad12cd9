package org.nyala.core.yescrypt;

import org.bouncycastle.crypto.digests.GOST3411_2012_256Digest;
import org.bouncycastle.crypto.macs.HMac;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * The end of gost-yescrypt: HMACs with GOST R 34.11-2012 (RFC 6986) of settings and of the key that
 * yescrypt gives. Stateless.
 */
final class GostWrap {
  private static final int LENGTH = 32;

  private GostWrap() {}

  static byte[] apply(byte[] password, byte[] settings, byte[] key) {
    GOST3411_2012_256Digest digest = new GOST3411_2012_256Digest();
    byte[] hashed = new byte[LENGTH];
    digest.update(password, 0, password.length);
    int _ = digest.doFinal(hashed, 0);
    return mac(mac(hashed, settings), key);
  }

  private static byte[] mac(byte[] key, byte[] message) {
    HMac mac = new HMac(new GOST3411_2012_256Digest());
    mac.init(new KeyParameter(key));
    mac.update(message, 0, message.length);
    byte[] result = new byte[LENGTH];
    int _ = mac.doFinal(result, 0);
    return result;
  }
}
