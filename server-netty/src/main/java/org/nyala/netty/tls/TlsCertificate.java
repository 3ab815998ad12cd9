package org.nyala.netty.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;

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
}
