package org.nyala.netty.tls;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;

/**
 * Reads private keys in the forms that authorities, ACME clients and OpenSSL write: PKCS#8,
 * encrypted or not (RFC 5958), PKCS#1 for RSA (RFC 8017), SEC 1 for elliptic curves (RFC 5915).
 */
final class PrivateKeys {
  private static final String PKCS8 = "PRIVATE KEY";
  private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";
  private static final String PKCS1 = "RSA PRIVATE KEY";
  private static final String SEC1 = "EC PRIVATE KEY";
  private static final String CURVE = "EC PARAMETERS";
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

  /** PBES2, whose name the JDK gives only with its parameters. */
  private static final List<String> BY_PARAMETERS = List.of("PBES2", "1.2.840.113549.1.5.13");

  /** The object identifiers of the kinds of keys, in DER. */
  private static final byte[] RSA = {
    0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01
  };

  private static final byte[] EC = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};
  private static final byte[] NULL = {0x05, 0x00};
  private static final int PARAMETERS = 0xa0;

  private PrivateKeys() {}

  /**
   * Returns the first private key of a PEM file.
   *
   * @param password decrypts it; null for none
   * @return null if the file has no key
   * @throws IOException if it cannot be read or decrypted
   */
  static @Nullable PrivateKey read(List<PemBlock> blocks, @Nullable String password)
      throws IOException, GeneralSecurityException {
    byte[] curve = null;
    for (PemBlock block : blocks) {
      if (block.isEncrypted()) {
        throw new IOException(
            "the key is encrypted in the form of older OpenSSL versions: "
                + "convert it with 'openssl pkcs8 -topk8'");
      }
      switch (block.label()) {
        case CURVE -> curve = block.content();
        case PKCS8 -> {
          return key(block.content());
        }
        case ENCRYPTED -> {
          return key(decrypt(block.content(), password));
        }
        case PKCS1 -> {
          return key(pkcs8(new BerWriter().raw(RSA).raw(NULL), block.content()));
        }
        case SEC1 -> {
          byte[] parameters = curve == null ? curveOf(block.content()) : curve;
          return key(pkcs8(new BerWriter().raw(EC).raw(parameters), block.content()));
        }
        default -> {
          // Certificates, for example.
        }
      }
    }
    return null;
  }

  private static byte[] decrypt(byte[] content, @Nullable String password)
      throws IOException, GeneralSecurityException {
    if (password == null) {
      throw new IOException("the key is encrypted, and no password is configured");
    }
    EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(content);
    String named = encrypted.getAlgName();
    AlgorithmParameters parameters = encrypted.getAlgParameters();
    if (parameters == null) {
      throw new IOException("the key is encrypted in an unknown way, " + named);
    }
    String algorithm = BY_PARAMETERS.contains(named) ? parameters.toString() : named;
    PBEKeySpec secret = new PBEKeySpec(password.toCharArray());
    try {
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm).generateSecret(secret),
          parameters);
      return encrypted.getKeySpec(cipher).getEncoded();
    } catch (InvalidKeySpecException e) {
      throw new IOException("the password does not fit the key", e);
    } finally {
      secret.clearPassword();
    }
  }

  /** Wraps a key of one algorithm into PKCS#8. */
  private static byte[] pkcs8(BerWriter algorithm, byte[] content) {
    BerWriter info = new BerWriter().integer(0).sequence(algorithm).octets(content);
    return new BerWriter().sequence(info).toByteArray();
  }

  /** Returns the curve that a key of SEC 1 names. */
  private static byte[] curveOf(byte[] content) throws IOException {
    try {
      BerReader key = BerReader.trusted(content).sequence();
      int _ = key.integer();
      byte[] _ = key.octets();
      return key.octets(PARAMETERS);
    } catch (InvalidBerException e) {
      throw new IOException("the key does not name its curve", e);
    }
  }

  private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
    InvalidKeySpecException unknown = new InvalidKeySpecException("neither EC nor RSA nor EdDSA");
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (InvalidKeySpecException e) {
        unknown.addSuppressed(e);
      }
    }
    throw unknown;
  }
}
