package org.nyala.core.sasl;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The part of a client's certificate in which a rule looks for the name of a user (RFC 5280,
 * sections 4.1.2.6 and 4.2.1.6).
 */
public enum NameSource {
  /** The subject (RFC 2253), or the name that a local socket proves. */
  SUBJECT(-1),
  /** Addresses of electronic mail among the alternative names. */
  EMAIL(1),
  /** Names of hosts among the alternative names. */
  DNS(2),
  /** URIs among the alternative names, such as those of SPIFFE. */
  URI(6),
  /** Principal names of Windows, which stand among the alternative names as names of others. */
  UPN(0),
  /** Serial number and issuer, as an assertion of certificateExactMatch (RFC 4523, 2.5). */
  CERTIFICATE(-1);

  /** The most names of one certificate that are looked at. */
  private static final int MOST_NAMES = 32;

  private static final String UPN_OID = "1.3.6.1.4.1.311.20.2.3";
  private static final int UPN_OID_AT = 2;
  private static final int UPN_TEXT_AT = 3;

  private final int type;

  NameSource(int type) {
    this.type = type;
  }

  /** Returns its name in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the source of a name in the configuration; null if there is none. */
  public static @Nullable NameSource of(String label) {
    for (NameSource each : values()) {
      if (each.label().equalsIgnoreCase(label)) {
        return each;
      }
    }
    return null;
  }

  /**
   * Returns the names of a client, in the order of its certificate.
   *
   * @param external the name that the connection itself proves
   * @param certificate the certificate; null if something else proves the name
   */
  public List<String> names(String external, @Nullable X509Certificate certificate) {
    if (this == SUBJECT) {
      return List.of(external);
    }
    if (certificate == null) {
      return List.of();
    }
    return this == CERTIFICATE ? List.of(assertion(certificate)) : alternatives(certificate);
  }

  private static String assertion(X509Certificate certificate) {
    return "{ serialNumber "
        + certificate.getSerialNumber()
        + ", issuer rdnSequence:\""
        + certificate.getIssuerX500Principal().getName().replace("\"", "\"\"")
        + "\" }";
  }

  private List<String> alternatives(X509Certificate certificate) {
    Collection<List<?>> all;
    try {
      all = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException _) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    if (all != null) {
      for (List<?> each : all) {
        if (names.size() < MOST_NAMES && each.getFirst().equals(type)) {
          add(each, names);
        }
      }
    }
    return names;
  }

  private void add(List<?> name, List<String> names) {
    if (this != UPN) {
      names.add((String) name.get(1));
    } else if (name.size() > UPN_TEXT_AT
        && UPN_OID.equals(name.get(UPN_OID_AT))
        && name.get(UPN_TEXT_AT) instanceof String text) {
      names.add(text);
    }
  }
}
