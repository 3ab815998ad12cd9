package org.nyala.core.sasl;

import java.security.cert.X509Certificate;
import java.util.Map;
import javax.security.auth.x500.X500Principal;

/** The subjects of clients' certificates as the names of users. Stateless. */
public final class SubjectName {
  /**
   * The attribute types in subjects that RFC 2253 gives no name (X.520, RFC 2985, ETSI EN 319 412).
   * Without one their values would be in hexadecimal.
   */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("1.2.840.113549.1.9.1", "emailAddress"),
          Map.entry("2.5.4.4", "sn"),
          Map.entry("2.5.4.5", "serialNumber"),
          Map.entry("2.5.4.12", "title"),
          Map.entry("2.5.4.13", "description"),
          Map.entry("2.5.4.15", "businessCategory"),
          Map.entry("2.5.4.16", "postalAddress"),
          Map.entry("2.5.4.17", "postalCode"),
          Map.entry("2.5.4.20", "telephoneNumber"),
          Map.entry("2.5.4.41", "name"),
          Map.entry("2.5.4.42", "givenName"),
          Map.entry("2.5.4.43", "initials"),
          Map.entry("2.5.4.44", "generationQualifier"),
          Map.entry("2.5.4.46", "dnQualifier"),
          Map.entry("2.5.4.51", "houseIdentifier"),
          Map.entry("2.5.4.65", "pseudonym"),
          Map.entry("2.5.4.97", "organizationIdentifier"));

  private SubjectName() {}

  /** Returns the subject of a certificate, by RFC 2253 with further names of types. */
  public static String of(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName(X500Principal.RFC2253, TYPES);
  }
}
