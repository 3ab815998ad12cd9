package org.nyala.core.schema.rule;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.Utf8;
import org.nyala.core.dn.DnNormalizer;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Syntax;
import org.nyala.core.schema.Syntax.Validator;

/** The syntaxes that the server knows: RFC 4517, RFC 4523, RFC 4530, RFC 2307 and others' usual. */
public final class StandardSyntaxes {
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";

  private static final Validator TEXT =
      (source, offset, length) -> length > 0 && Utf8.isValid(source, offset, length);
  private static final Validator IA5 = StandardSyntaxes::isAscii;

  /** Printable strings with dollar signs between them, none of them empty. */
  private static final Validator PRINTABLE_LIST =
      (source, offset, length) -> {
        boolean isBegun = false;
        for (int i = offset; i < offset + length; i++) {
          boolean isPart = source[i] != '$';
          if (isPart ? !Syntax.isPrintable(source[i]) : !isBegun) {
            return false;
          }
          isBegun = isPart;
        }
        return isBegun;
      };

  private static final Set<String> DELIVERY_METHODS =
      Set.of(
          "any",
          "mhs",
          "physical",
          "telex",
          "teletex",
          "g3fax",
          "g4fax",
          "ia5",
          "videotex",
          "telephone");

  private static final Validator ASN1_SEQUENCE =
      (source, offset, length) -> length > 1 && source[offset] == 0x30;

  private final List<Syntax> syntaxes = new ArrayList<>();
  private final SchemaLink link;

  private StandardSyntaxes(SchemaLink link) {
    this.link = link;
  }

  /** Creates the syntaxes; distinguished names are parsed by the schema that the link gets. */
  public static List<Syntax> create(SchemaLink link) {
    StandardSyntaxes standard = new StandardSyntaxes(link);
    standard.addBinary();
    standard.addText();
    standard.addRestrictedText();
    standard.addParsed();
    standard.addDescriptions();
    return List.copyOf(standard.syntaxes);
  }

  private void addBinary() {
    binary(LDAP + "4", "Audio", Validator.ANY);
    binary(LDAP + "5", "Binary", Validator.ANY);
    binary(LDAP + "8", "Certificate", CertificateNormalizer::isCertificate);
    binary(LDAP + "9", "Certificate List", ASN1_SEQUENCE);
    binary(LDAP + "10", "Certificate Pair", ASN1_SEQUENCE);
    binary(LDAP + "23", "Fax", Validator.ANY);
    binary(LDAP + "28", "JPEG", Validator.ANY);
    binary(LDAP + "40", "Octet String", Validator.ANY);
    binary(LDAP + "49", "Supported Algorithm", ASN1_SEQUENCE);
    binary("1.3.6.1.4.1.4203.666.11.10.2.1", "X.509 AttributeCertificate", ASN1_SEQUENCE);
    binary("1.2.840.113549.1.8.1.1", "PKCS#8 PrivateKeyInfo", ASN1_SEQUENCE);
  }

  private void addText() {
    text(LDAP + "15", "Directory String", TEXT);
    text(LDAP + "13", "Data Quality", TEXT);
    text(LDAP + "14", "Delivery Method", StandardSyntaxes::isDeliveryMethod);
    text(LDAP + "19", "DSA Quality", TEXT);
    text(LDAP + "20", "DSE Type", TEXT);
    text(LDAP + "21", "Enhanced Guide", TEXT);
    text(LDAP + "25", "Guide", TEXT);
    text(LDAP + "32", "Mail Preference", TEXT);
    text(LDAP + "33", "MHS OR Address", TEXT);
    text(LDAP + "41", "Postal Address", StandardSyntaxes::isPostalAddress);
    text(LDAP + "42", "Protocol Information", TEXT);
    text(LDAP + "43", "Presentation Address", TEXT);
    text(LDAP + "45", "Subtree Specification", TEXT);
    text(LDAP + "55", "Modify Rights", TEXT);
    text(LDAP + "57", "LDAP Schema Definition", TEXT);
    text(LDAP + "58", "Substring Assertion", TEXT);
    text("1.2.36.79672281.1.5.0", "RDN", TEXT);
    text("1.3.6.1.1.1.0.0", "NIS netgroup triple", IA5);
    text("1.3.6.1.1.1.0.1", "Boot parameter", IA5);
    text("1.3.6.1.4.1.4203.1.1.2", "Authentication Password", IA5);
    text("1.3.6.1.4.1.4203.666.2.7", "Authorization rule", TEXT);
    String attribute = "1.3.6.1.4.1.4203.666.11.10.2.";
    text(attribute + "2", "AttributeCertificate Exact Assertion", TEXT);
    text(attribute + "3", "AttributeCertificate Assertion", TEXT);
    String assertion = "1.3.6.1.1.15.";
    text(assertion + "1", "Certificate Exact Assertion", TEXT);
    text(assertion + "2", "Certificate Assertion", TEXT);
    text(assertion + "3", "Certificate Pair Exact Assertion", TEXT);
    text(assertion + "4", "Certificate Pair Assertion", TEXT);
    text(assertion + "5", "Certificate List Exact Assertion", TEXT);
    text(assertion + "6", "Certificate List Assertion", TEXT);
    text(assertion + "7", "Algorithm Identifier", TEXT);
  }

  private void addRestrictedText() {
    text(
        LDAP + "11", "Country String", (s, o, n) -> n == 2 && Validator.PRINTABLE.isValid(s, o, n));
    text(LDAP + "22", "Facsimile Telephone Number", PRINTABLE_LIST);
    text(LDAP + "26", "IA5 String", IA5);
    text(LDAP + "36", "Numeric String", StandardSyntaxes::isNumericString);
    text(LDAP + "39", "Other Mailbox", IA5);
    text(LDAP + "44", "Printable String", Validator.PRINTABLE);
    text(LDAP + "50", "Telephone Number", Validator.PRINTABLE);
    text(LDAP + "51", "Teletex Terminal Identifier", IA5);
    text(LDAP + "52", "Telex Number", PRINTABLE_LIST);
    text(LDAP + "53", "UTC Time", StandardSyntaxes::isUtcTime);
  }

  private void addParsed() {
    text(LDAP + "6", "Bit String", IdentifierNormalizers::isBitString);
    text(LDAP + "7", "Boolean", StandardSyntaxes::isBoolean);
    text(LDAP + "12", "DN", normalizable(new DnNormalizer(link, false)));
    text(LDAP + "24", "Generalized Time", normalizable(TimeNormalizer.INSTANCE));
    text(LDAP + "27", "INTEGER", StandardSyntaxes::isInteger);
    text("1.2.840.113556.1.4.906", "Large Integer", StandardSyntaxes::isInteger);
    text(LDAP + "34", "Name And Optional UID", normalizable(new DnNormalizer(link, true)));
    text(
        LDAP + "38",
        "OID",
        (source, offset, length) ->
            ObjectIdentifierNormalizer.isIdentifier(source, offset, offset + length));
    text("1.3.6.1.1.16.1", "UUID", normalizable(IdentifierNormalizers.UUID));
    text("1.3.6.1.4.1.4203.666.11.2.1", "CSN", normalizable(IdentifierNormalizers.CSN));
    text("1.3.6.1.4.1.4203.666.11.2.4", "SID", normalizable(IdentifierNormalizers.CSN_SERVER));
  }

  private void addDescriptions() {
    text(LDAP + "3", "Attribute Type Description", TEXT);
    text(LDAP + "16", "DIT Content Rule Description", TEXT);
    text(LDAP + "17", "DIT Structure Rule Description", TEXT);
    text(LDAP + "30", "Matching Rule Description", TEXT);
    text(LDAP + "31", "Matching Rule Use Description", TEXT);
    text(LDAP + "35", "Name Form Description", TEXT);
    text(LDAP + "37", "Object Class Description", TEXT);
    text(LDAP + "54", "LDAP Syntax Description", TEXT);
    text(LDAP + "56", "LDAP Schema Description", TEXT);
  }

  private void text(String oid, String description, Validator validator) {
    syntaxes.add(new Syntax(oid, description, true, validator));
  }

  private void binary(String oid, String description, Validator validator) {
    syntaxes.add(new Syntax(oid, description, false, validator));
  }

  private static Validator normalizable(Normalizer normalizer) {
    return (source, offset, length) ->
        normalizer.normalize(source, offset, length, new ByteAppender(length + 16));
  }

  private static boolean isAscii(byte[] source, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (source[i] < 0) {
        return false;
      }
    }
    return true;
  }

  /** Methods in any case with dollar signs and spaces between them (RFC 4517, section 3.3.5). */
  private static boolean isDeliveryMethod(byte[] source, int offset, int length) {
    int end = offset + length;
    int from = offset;
    for (int i = offset; i < end; i++) {
      if (source[i] == '$') {
        int to = i;
        while (to > from && source[to - 1] == ' ') {
          to--;
        }
        if (!isMethod(source, from, to)) {
          return false;
        }
        from = i + 1;
        while (from < end && source[from] == ' ') {
          from++;
        }
      }
    }
    return isMethod(source, from, end);
  }

  private static boolean isMethod(byte[] source, int from, int to) {
    return to - from <= 9
        && DELIVERY_METHODS.contains(
            new String(source, from, to - from, StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT));
  }

  /**
   * Text in which a backslash begins a dollar sign or itself, in hexadecimal (RFC 4517, section
   * 3.3.28).
   */
  private static boolean isPostalAddress(byte[] source, int offset, int length) {
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      if (source[i] == '\\' && !isEscape(source, i, end)) {
        return false;
      }
    }
    return TEXT.isValid(source, offset, length);
  }

  private static boolean isEscape(byte[] source, int at, int end) {
    return at + 2 < end
        && (source[at + 1] == '2' && source[at + 2] == '4'
            || source[at + 1] == '5' && (source[at + 2] | 0x20) == 'c');
  }

  private static boolean isNumericString(byte[] source, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (source[i] != ' ' && (source[i] < '0' || source[i] > '9')) {
        return false;
      }
    }
    return length > 0;
  }

  private static boolean isBoolean(byte[] source, int offset, int length) {
    return length == 4 && source[offset] == 'T' && endsUpper(source, offset, "TRUE")
        || length == 5 && source[offset] == 'F' && endsUpper(source, offset, "FALSE");
  }

  private static boolean endsUpper(byte[] source, int offset, String word) {
    for (int i = 1; i < word.length(); i++) {
      if (source[offset + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isInteger(byte[] source, int offset, int length) {
    int end = offset + length;
    int at = length > 1 && source[offset] == '-' ? offset + 1 : offset;
    if (at == end || !IntegerNormalizer.areDigits(source, at, end)) {
      return false;
    }
    return source[at] != '0' || length == 1;
  }

  /* yymmddhhmm[ss](Z|+hhmm|-hhmm) */
  private static boolean isUtcTime(byte[] source, int offset, int length) {
    int end = offset + length;
    int at = offset;
    while (at < end && source[at] >= '0' && source[at] <= '9') {
      at++;
    }
    boolean zoned =
        end - at == 1 && source[at] == 'Z'
            || end - at == 5
                && (source[at] == '+' || source[at] == '-')
                && IntegerNormalizer.areDigits(source, at + 1, end);
    return zoned && (at - offset == 10 || at - offset == 12);
  }
}
