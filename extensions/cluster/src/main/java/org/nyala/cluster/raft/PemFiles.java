package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys from PEM files. */
public final class PemFiles {
  private static final int MOST_BYTES = 1 << 20;

  private static final Pattern CERTIFICATE = block("CERTIFICATE");
  private static final Pattern KEY = block("PRIVATE KEY");

  private PemFiles() {}

  private static Pattern block(String label) {
    return Pattern.compile(
        "-----BEGIN " + label + "-----([A-Za-z0-9+/=\\s]*)-----END " + label + "-----");
  }

  /** Returns the certificates of a file, at least one. */
  public static List<X509Certificate> certificates(Path file) throws RaftException {
    List<String> blocks = blocks(file, CERTIFICATE);
    if (blocks.isEmpty()) {
      throw new RaftException("The file " + file + " holds no certificate as PEM.");
    }
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      List<X509Certificate> found = new ArrayList<>();
      for (String each : blocks) {
        byte[] der = Base64.getMimeDecoder().decode(each);
        found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
      }
      return List.copyOf(found);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new RaftException("The file " + file + " holds a certificate that cannot be read.", e);
    }
  }

  /** Returns the private key of a file, which must be that of a certificate. */
  public static PrivateKey key(Path file, X509Certificate of) throws RaftException {
    List<String> blocks = blocks(file, KEY);
    if (blocks.size() != 1) {
      throw new RaftException(
          "The file "
              + file
              + " holds one private key as PEM (PKCS#8, not encrypted), not "
              + blocks.size()
              + ".");
    }
    PublicKey publicKey = of.getPublicKey();
    String algorithm = publicKey.getAlgorithm();
    try {
      PrivateKey key =
          KeyFactory.getInstance(algorithm)
              .generatePrivate(
                  new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(blocks.getFirst())));
      if (isPair(key, publicKey)) {
        return key;
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new RaftException(
          "The file "
              + file
              + " holds no "
              + algorithm
              + " key, as the certificate of "
              + of.getSubjectX500Principal()
              + " needs.",
          e);
    }
    throw new RaftException(
        "The key of the file "
            + file
            + " is not that of the certificate of "
            + of.getSubjectX500Principal()
            + ".");
  }

  private static boolean isPair(PrivateKey key, PublicKey publicKey)
      throws GeneralSecurityException {
    String signature =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    Signature signer = Signature.getInstance(signature);
    signer.initSign(key);
    signer.update((byte) 1);
    byte[] signed = signer.sign();
    Signature verifier = Signature.getInstance(signature);
    verifier.initVerify(publicKey);
    verifier.update((byte) 1);
    return verifier.verify(signed);
  }

  private static List<String> blocks(Path file, Pattern pattern) throws RaftException {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new RaftException(
            "The file " + file + " is larger than " + MOST_BYTES + " bytes: it is no PEM file.");
      }
      Matcher found = pattern.matcher(Files.readString(file, US_ASCII));
      return found.results().map(each -> each.group(1)).toList();
    } catch (RaftException e) {
      throw e;
    } catch (IOException e) {
      throw new RaftException("The file " + file + " cannot be read.", e);
    }
  }
}
