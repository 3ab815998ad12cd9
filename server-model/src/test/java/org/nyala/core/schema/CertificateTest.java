package org.nyala.core.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.load.SchemaLoader;

/** Uses the authorities that the JDK trusts as examples: many issuers, in all kinds of strings. */
class CertificateTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final MatchingRule RULE = SCHEMA.matchingRule("certificateExactMatch");
  private static final long SEED = Seeds.seed();

  /** The keywords of types that the JDK writes as numbers and that issuers have. */
  private static final Map<String, String> KEYWORDS =
      Map.of("1.2.840.113549.1.9.1", "emailAddress", "2.5.4.5", "serialNumber");

  private static List<X509Certificate> certificates() throws Exception {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    List<X509Certificate> certificates = new ArrayList<>();
    for (TrustManager trust : factory.getTrustManagers()) {
      certificates.addAll(Arrays.asList(((X509TrustManager) trust).getAcceptedIssuers()));
    }
    assertThat(certificates).hasSizeGreaterThan(20);
    return certificates;
  }

  private static String normal(Normalizer normalizer, byte[] value) {
    ByteAppender target = new ByteAppender(16).append('!');
    boolean valid = normalizer.normalize(value, 0, value.length, target);
    byte[] bytes = target.toByteArray();
    assertThat(bytes[0]).isEqualTo((byte) '!');
    assertThat(bytes.length > 1).isEqualTo(valid);
    return valid ? Arrays.toString(bytes) : "invalid";
  }

  private static String value(byte[] certificate) {
    return normal(RULE.valueNormalizer(), certificate);
  }

  private static String assertion(String text) {
    return normal(RULE.assertionNormalizer(), text.getBytes(UTF_8));
  }

  private static boolean isValid(byte[] certificate) {
    Syntax syntax = SCHEMA.attributeType("userCertificate").syntax();
    return syntax.isValid(certificate);
  }

  @Test
  void shouldTakeTheFormsThatSlapdTakes() {
    String wanted = assertion("4711$cn=Nora,o=harbour");
    assertThat(wanted).isNotEqualTo("invalid");
    for (String form :
        List.of(
            "{ serialNumber 4711, issuer \"cn=Nora,o=harbour\" }",
            "{serialNumber 4711,issuer \"cn=Nora,o=harbour\"}",
            "{ issuer \"cn=Nora,o=harbour\", serialNumber 4711 }",
            "{ SERIALNUMBER 4711, ISSUER RDNSEQUENCE:\"cn=Nora,o=harbour\" }",
            "{ serialNumber 0x1267, issuer \"cn=Nora,o=harbour\" }",
            "{ serialNumber 0X1267, issuer rdnSequence:\"cn=Nora,o=harbour\" }",
            "{ serialNumber '1267'H, issuer \"cn=Nora,o=harbour\" }",
            "04711$cn=Nora,o=harbour")) {
      assertThat(assertion(form)).as(form).isEqualTo(wanted);
    }
    for (String form :
        List.of(
            "{ serialNumber 4711, issuer cn=Nora,o=harbour }",
            "{ serialNumber 4711, issuer rdnSequence \"cn=Nora,o=harbour\" }",
            "{ serialNumber 4711 issuer \"cn=Nora,o=harbour\" }",
            "{ serialNumber 0x" + "f".repeat(1000) + ", issuer \"cn=Nora,o=harbour\" }",
            "0x1267$cn=Nora,o=harbour")) {
      assertThat(assertion(form)).as(form).isEqualTo("invalid");
    }
  }

  @Test
  void shouldTellCertificatesBySerialNumberAndIssuer() throws Exception {
    int named = 0;
    for (X509Certificate certificate : certificates()) {
      byte[] encoded = certificate.getEncoded();
      String issuer = certificate.getIssuerX500Principal().getName("RFC2253", KEYWORDS);
      String serial = certificate.getSerialNumber().toString();
      String quoted = '"' + issuer.replace("\"", "\"\"") + '"';
      assertThat(isValid(encoded)).as(issuer).isTrue();
      if (issuer.contains("=#")) {
        // The schema has no such attribute type, so no text denotes this issuer.
        assertThat(value(encoded)).isEqualTo(normal(RULE.assertionNormalizer(), encoded));
        continue;
      }
      named++;
      assertThat(value(encoded))
          .as(issuer)
          .isNotEqualTo("invalid")
          .isEqualTo(assertion(serial + '$' + issuer))
          .isEqualTo(
              assertion("{ serialNumber " + serial + ", issuer rdnSequence:" + quoted + " }"))
          .isEqualTo(assertion("{issuer rdnSequence: " + quoted + ",serialNumber " + serial + "}"))
          .isEqualTo(normal(RULE.assertionNormalizer(), encoded))
          .isNotEqualTo(assertion(serial + "1$" + issuer))
          .isNotEqualTo(assertion(serial + "$cn=other," + issuer));
    }
    assertThat(named).isGreaterThan(20);
  }

  @Test
  void shouldCompareIssuersAsNames() throws Exception {
    X509Certificate certificate = certificates().getFirst();
    String serial = certificate.getSerialNumber().toString();
    String issuer = certificate.getIssuerX500Principal().getName(X500Principal.RFC1779);
    assertThat(assertion("  0" + serial + " $ " + issuer.toUpperCase(Locale.ROOT)))
        .isEqualTo(assertion(serial + '$' + issuer))
        .isNotEqualTo("invalid");
  }

  @Test
  void shouldRefuseWhatIsNoAssertion() {
    for (String text :
        List.of(
            "",
            "7",
            "cn=ca",
            "$cn=ca",
            "x$cn=ca",
            "7$ca",
            "{ serialNumber 7 }",
            "{ serialNumber 7, issuer cn=ca }",
            "{ serialNumber 7, issuer rdnSequence:\"cn=ca }",
            "{ serialNumber 7, issuer rdnSequence:\"cn=\"ca\" }",
            "{ serialNumber 7, issuer rdnSequence:\"ca\" }",
            "{ serialNumber 7, issuer rdnSequence:\"cn=ca\" } 7")) {
      assertThat(assertion(text)).as(text).isEqualTo("invalid");
    }
  }

  /** Assertions of any length are answered, with any number of quotes. */
  @Test
  void shouldAnswerForAssertionsOfAnyLength() {
    for (String filling : List.of("x", "\"\"", "\"", "{", "7", "$")) {
      String many = filling.repeat(300_000);
      assertThat(assertion("{ serialNumber 7, issuer rdnSequence:\"" + many + "\" }"))
          .isEqualTo("invalid");
      assertThat(assertion(many)).isEqualTo("invalid");
    }
    assertThat(assertion(" ".repeat(300_000))).isEqualTo("invalid");
    assertThat(assertion("7".repeat(300_000) + "$cn=ca")).isNotEqualTo("invalid");
  }

  @Test
  void shouldRefuseSerialNumbersThatNoAuthorityGives() {
    assertThat(isValid(certificate(128))).isTrue();
    assertThat(isValid(certificate(129))).isFalse();
    assertThat(value(certificate(200_000))).isEqualTo("invalid");
  }

  /** Returns an outline of a certificate whose serial number has a given length. */
  private static byte[] certificate(int serialNumberOctets) {
    byte[] serialNumber = new byte[serialNumberOctets];
    Arrays.fill(serialNumber, (byte) 0x55);
    BerWriter signed = new BerWriter().octets(BerReader.INTEGER, serialNumber);
    for (int i = 0; i < 5; i++) {
      signed.sequence(new BerWriter());
    }
    BerWriter certificate = new BerWriter().sequence(signed).sequence(new BerWriter());
    certificate.octets(3, new byte[] {0});
    return new BerWriter().sequence(certificate).toByteArray();
  }

  @Test
  void shouldRefuseWhatIsNoCertificate() throws Exception {
    byte[] encoded = certificates().getFirst().getEncoded();
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThat(isValid(cut)).isFalse();
      assertThat(value(cut)).isEqualTo("invalid");
    }
    assertThat(isValid(Arrays.copyOf(new byte[] {encoded[0]}, encoded.length + 1))).isFalse();
    assertThat(isValid("MIIBszCCAVmgAwIBAgIU".getBytes(UTF_8))).isFalse();
  }

  /** Any octets are answered, and the syntax and the rule agree. */
  @Test
  void shouldTakeOrRefuseAnyOctets() throws Exception {
    Random random = new Random(SEED);
    for (X509Certificate certificate : certificates().subList(0, 20)) {
      for (int round = 0; round < 500; round++) {
        byte[] damaged = certificate.getEncoded();
        for (int i = random.nextInt(4); i >= 0; i--) {
          damaged[random.nextInt(Math.min(damaged.length, 300))] = (byte) random.nextInt(256);
        }
        assertThat(value(damaged).equals("invalid"))
            .as("replay with -Dtest.seed=%d", SEED)
            .isEqualTo(!isValid(damaged));
        normal(RULE.assertionNormalizer(), damaged);
      }
    }
  }
}
