package org.nyala.netty.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRLException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads the certificates of authorities and revocation lists from a file, or from all files of a
 * folder but hidden ones. Stateless.
 */
final class TrustFiles {
  /** The most bytes of a file of certificates: some thousand. */
  private static final int MOST_CERTIFICATE_BYTES = 8 << 20;

  /** The most bytes of a file of revocation lists: more than a million revoked certificates. */
  private static final int MOST_LIST_BYTES = 64 << 20;

  /** A file that begins like this is DER. */
  private static final int DER_SEQUENCE = 0x30;

  /** The extension of revocation lists that add to others. */
  private static final String DELTA = "2.5.29.27";

  private TrustFiles() {}

  /**
   * Returns the files of a place, in order of name.
   *
   * @param place a file, which need not exist, or a folder
   * @throws IOException if the folder cannot be read
   */
  static List<Path> of(Path place) throws IOException {
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    try (Stream<Path> entries = Files.list(place)) {
      return entries
          .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    }
  }

  private static List<Path> files(Path place) throws TlsFileException {
    try {
      return of(place);
    } catch (IOException e) {
      throw new TlsFileException("cannot read the folder " + place + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads certificates of authorities in PEM.
   *
   * @throws TlsFileException if a file cannot be used or has none
   */
  static Set<X509Certificate> authorities(Path place) throws TlsFileException {
    Set<X509Certificate> all = new LinkedHashSet<>();
    for (Path file : files(place)) {
      List<byte[]> found = blocks(file, "CERTIFICATE", MOST_CERTIFICATE_BYTES);
      if (found.isEmpty()) {
        throw new TlsFileException(file + ": there is no certificate in it");
      }
      for (byte[] each : found) {
        try {
          all.add(certificate(each));
        } catch (GeneralSecurityException | RuntimeException e) {
          throw new TlsFileException(file + ": not a certificate: " + e.getMessage(), e);
        }
      }
    }
    if (all.isEmpty()) {
      throw new TlsFileException(place + ": there is no file with a certificate in it");
    }
    return all;
  }

  /**
   * Reads revocation lists in PEM or DER.
   *
   * @throws TlsFileException if a file cannot be used or has none
   */
  static List<X509CRL> lists(Path place) throws TlsFileException {
    List<X509CRL> all = new ArrayList<>();
    for (Path file : files(place)) {
      List<byte[]> found = blocks(file, "X509 CRL", MOST_LIST_BYTES);
      if (found.isEmpty()) {
        throw new TlsFileException(file + ": there is no revocation list in it");
      }
      for (byte[] each : found) {
        try {
          all.add(list(each));
        } catch (GeneralSecurityException | RuntimeException e) {
          throw new TlsFileException(file + ": not a usable revocation list: " + e.getMessage(), e);
        }
      }
    }
    if (all.isEmpty()) {
      throw new TlsFileException(place + ": there is no file with a revocation list in it");
    }
    return all;
  }

  /** Reads a list that is complete, and says until when: others would count for ever. */
  private static X509CRL list(byte[] encoded) throws GeneralSecurityException {
    X509CRL list =
        (X509CRL)
            CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(encoded));
    if (list.getExtensionValue(DELTA) != null) {
      throw new CRLException("it is a delta list, which names changes only");
    }
    if (list.getNextUpdate() == null) {
      throw new CRLException("it does not say when the next one comes (nextUpdate)");
    }
    return list;
  }

  /**
   * Reads a certificate in DER.
   *
   * @throws GeneralSecurityException if it is none; damaged ones may throw others as well
   */
  static X509Certificate certificate(byte[] encoded) throws GeneralSecurityException {
    return (X509Certificate)
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(encoded));
  }

  /** Returns the whole of a file in DER, or the blocks of PEM that have a label. */
  private static List<byte[]> blocks(Path file, String label, int most) throws TlsFileException {
    byte[] content = TlsCertificate.bytes(file, most);
    if (content.length > 0 && content[0] == DER_SEQUENCE) {
      return List.of(content);
    }
    try {
      return PemBlock.read(new String(content, StandardCharsets.ISO_8859_1)).stream()
          .filter(block -> block.label().equals(label))
          .map(PemBlock::content)
          .toList();
    } catch (IllegalArgumentException e) {
      throw new TlsFileException(file + ": damaged: " + e.getMessage(), e);
    }
  }
}
