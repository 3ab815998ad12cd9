package org.nyala.netty.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;

/**
 * A certificate with its chain and its private key.
 *
 * <p>Immutable.
 *
 * @param chain the certificate itself, then those that vouch for it
 * @param key its private key
 */
record TlsCertificate(List<X509Certificate> chain, PrivateKey key) {
  /** The most bytes of a file: far more than any chain of certificates has. */
  private static final int MOST_BYTES = 1 << 20;

  /** A file that begins like this is DER, and so PKCS#12. */
  private static final int DER_SEQUENCE = 0x30;

  private static final byte[] PROBE = "nyala".getBytes(StandardCharsets.US_ASCII);
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  TlsCertificate {
    chain = List.copyOf(chain);
  }

  /**
   * Reads a certificate, and checks that it and its key belong together.
   *
   * @throws TlsFileException if a file is missing, is none of the known forms, or does not fit
   */
  static TlsCertificate read(TlsSettings.Files files) throws TlsFileException {
    try {
      return readUnguarded(files);
    } catch (RuntimeException e) {
      // Parsers of the JDK throw many kinds of exceptions at damaged files.
      throw new TlsFileException(files + ": damaged: " + e, e);
    }
  }

  private static TlsCertificate readUnguarded(TlsSettings.Files files) throws TlsFileException {
    byte[] content = bytes(files.certificate(), MOST_BYTES);
    boolean isPkcs12 = content.length > 0 && content[0] == DER_SEQUENCE;
    TlsCertificate read =
        isPkcs12 ? ofPkcs12(files, content) : ofPem(files, text(content), files.password());
    X509Certificate leaf = read.leaf();
    if (!isPair(read.key, leaf.getPublicKey())) {
      throw new TlsFileException(
          files + ": the key is not that of the first certificate, " + name(leaf));
    }
    return read;
  }

  /**
   * Reads a file of at most so many bytes.
   *
   * @throws TlsFileException if it cannot be read or is longer
   */
  static byte[] bytes(Path file, int most) throws TlsFileException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(most + 1);
      if (content.length > most) {
        throw new TlsFileException(file + ": longer than " + (most >> 20) + " MiB");
      }
      return content;
    } catch (TlsFileException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw new TlsFileException("there is no file " + file, e);
    } catch (IOException e) {
      throw new TlsFileException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static String text(byte[] content) {
    return new String(content, StandardCharsets.ISO_8859_1);
  }

  private static TlsCertificate ofPem(
      TlsSettings.Files files, String text, @Nullable String password) throws TlsFileException {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (PemBlock block : PemBlock.read(text)) {
        if (block.label().equals("CERTIFICATE")) {
          ByteArrayInputStream der = new ByteArrayInputStream(block.content());
          chain.add((X509Certificate) factory.generateCertificate(der));
        }
      }
    } catch (CertificateException | IllegalArgumentException e) {
      throw new TlsFileException(files.certificate() + ": not a certificate: " + e.getMessage(), e);
    }
    if (chain.isEmpty()) {
      throw new TlsFileException(
          files.certificate() + ": there is no certificate in PEM or PKCS#12 in it");
    }
    Path keyFile = files.key() == null ? files.certificate() : files.key();
    return new TlsCertificate(chain, key(keyFile, password));
  }

  private static PrivateKey key(Path file, @Nullable String password) throws TlsFileException {
    try {
      PrivateKey key = PrivateKeys.read(PemBlock.read(text(bytes(file, MOST_BYTES))), password);
      if (key == null) {
        throw new TlsFileException(file + ": there is no private key in it");
      }
      return key;
    } catch (TlsFileException e) {
      throw e;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(file + ": " + e.getMessage(), e);
    }
  }

  private static TlsCertificate ofPkcs12(TlsSettings.Files files, byte[] content)
      throws TlsFileException {
    char[] password = files.password() == null ? new char[0] : files.password().toCharArray();
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(new ByteArrayInputStream(content), password);
      for (String alias : Collections.list(store.aliases())) {
        Certificate[] certificates = store.getCertificateChain(alias);
        if (certificates != null && store.getKey(alias, password) instanceof PrivateKey key) {
          List<X509Certificate> chain = new ArrayList<>();
          for (Certificate certificate : certificates) {
            chain.add((X509Certificate) certificate);
          }
          return new TlsCertificate(chain, key);
        }
      }
    } catch (IOException | GeneralSecurityException e) {
      throw new TlsFileException(
          files.certificate() + ": not PKCS#12, or another password: " + e.getMessage(), e);
    }
    throw new TlsFileException(
        files.certificate() + ": there is no private key with a certificate in it");
  }

  /** Returns whether a signature of the private key is one of the public key. */
  private static boolean isPair(PrivateKey key, PublicKey other) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(PROBE);
      byte[] signed = signature.sign();
      signature.initVerify(other);
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  X509Certificate leaf() {
    return chain.getFirst();
  }

  /** The algorithm of its key: RSA, EC or EdDSA. */
  String algorithm() {
    return key.getAlgorithm();
  }

  /** The time until which it is valid. */
  Instant notAfter() {
    return leaf().getNotAfter().toInstant();
  }

  /** Its subject, for people. */
  static String name(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  /** Returns the names that it is for, in lower case: those of its extension, else its CN. */
  List<String> hostNames() {
    return hostNames(leaf());
  }

  /** Returns those of any certificate. */
  static List<String> hostNames(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    try {
      Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
      for (List<?> name : alternatives == null ? List.<List<?>>of() : alternatives) {
        Object kind = name.getFirst();
        if (kind.equals(DNS_NAME) || kind.equals(IP_ADDRESS)) {
          names.add(name.get(1).toString().toLowerCase(Locale.ROOT));
        }
      }
      if (names.isEmpty()) {
        new LdapName(name(certificate))
            .getRdns().stream()
                .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
                .forEach(rdn -> names.add(rdn.getValue().toString().toLowerCase(Locale.ROOT)));
      }
    } catch (CertificateException | InvalidNameException e) {
      // It is for no name that a client could ask for.
      return List.of();
    }
    return names;
  }

  /**
   * Returns whether a host is among names, of which the first label may be a wildcard (RFC 9525,
   * section 6.3).
   */
  static boolean isAmong(List<String> names, String host) {
    String wanted = host.toLowerCase(Locale.ROOT);
    int dot = wanted.indexOf('.');
    return names.contains(wanted) || dot > 0 && names.contains("*" + wanted.substring(dot));
  }

  /**
   * Reads private keys in the forms that authorities, ACME clients and OpenSSL write: PKCS#8,
   * encrypted or not (RFC 5958), PKCS#1 for RSA (RFC 8017), SEC 1 for elliptic curves (RFC 5915).
   */
  private static final class PrivateKeys {
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
}
