package org.nyala.netty.tls;

import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.core.bytes.PrintableText;

/** Descriptions of certificates for people. Stateless. */
public final class CertificateText {
  private static final int MOST_CHARACTERS = 1000;

  private CertificateText() {}

  /**
   * Reads the files of settings as a server does, and describes their certificates.
   *
   * @return the engine, and some lines for each certificate
   * @throws TlsFileException if a file cannot be used
   */
  public static List<String> of(TlsSettings settings, Instant now) throws TlsFileException {
    TlsMaterial material = TlsMaterial.read(settings);
    List<String> lines = new ArrayList<>();
    lines.add("engine: " + (material.isNative() ? "BoringSSL" : "the JDK"));
    for (int i = 0; i < material.certificates().size(); i++) {
      lines.add(settings.certificates().get(i).toString());
      lines.addAll(of(material.certificates().get(i).chain(), now));
    }
    if (settings.clients().isAsked()) {
      lines.add("clients: " + material.clients());
    }
    return lines;
  }

  /**
   * Describes a certificate and those that vouch for it.
   *
   * @param chain the certificate first
   */
  public static List<String> of(List<X509Certificate> chain, Instant now) {
    X509Certificate leaf = chain.getFirst();
    List<String> lines = new ArrayList<>();
    lines.add("  subject: " + printable(TlsCertificate.name(leaf)));
    lines.add("  names:   " + printable(String.join(", ", TlsCertificate.hostNames(leaf))));
    lines.add("  key:     " + key(leaf.getPublicKey()));
    lines.add("  issuer:  " + printable(leaf.getIssuerX500Principal().getName()));
    lines.add("  valid:   " + validity(leaf, now));
    for (X509Certificate other : chain.subList(1, chain.size())) {
      lines.add(
          "  then:    " + printable(TlsCertificate.name(other)) + ", " + validity(other, now));
    }
    return lines;
  }

  /** Returns text of others without what could drive a terminal, and not too much of it. */
  public static String printable(String text) {
    String shown = text.substring(0, Math.min(text.length(), MOST_CHARACTERS));
    return shown.replaceAll("[^\\p{Graph} ]", "?");
  }

  /**
   * Returns text of others with the code of each character that is not visible, such as one that
   * ends a line or turns the direction of writing.
   *
   * @param most the most characters of it; three dots stand for the rest
   */
  static String escaped(String text, int most) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .limit(most)
        .forEach(
            each -> {
              if (PrintableText.isVisible(each)) {
                shown.appendCodePoint(each);
              } else {
                shown.append(String.format(Locale.ROOT, "\\u%04x", each));
              }
            });
    return text.codePointCount(0, text.length()) > most ? shown + "..." : shown.toString();
  }

  private static String key(PublicKey key) {
    return switch (key) {
      case ECPublicKey curve ->
          "EC, " + curve.getParams().getCurve().getField().getFieldSize() + " bits";
      case RSAPublicKey rsa -> "RSA, " + rsa.getModulus().bitLength() + " bits";
      default -> key.getAlgorithm();
    };
  }

  private static String validity(X509Certificate certificate, Instant now) {
    Instant begin = certificate.getNotBefore().toInstant();
    Instant end = certificate.getNotAfter().toInstant();
    String rest;
    if (now.isBefore(begin)) {
      rest = "NOT YET";
    } else if (now.isAfter(end)) {
      rest = "NO LONGER";
    } else {
      rest = ChronoUnit.DAYS.between(now, end) + " days left";
    }
    return begin + " to " + end + " (" + rest + ")";
  }
}
