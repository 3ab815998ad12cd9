package org.nyala.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.TestCertificates.pemOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;

/** Tests the forms in which certificates and keys come, and their mistakes. */
class TlsCertificateTest {
  private static final String ENCRYPTION = "PBEWithHmacSHA256AndAES_256";

  /** The object identifier of the encryption of keys (RFC 8018, appendix A.4), in DER. */
  private static final byte[] PBES2 = {
    0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x05, 0x0d
  };

  @TempDir static Path folder;
  private static final Map<String, TestCertificates.Pair> PAIRS = new TreeMap<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    PAIRS.put(
        "P-256", TestCertificates.make(folder, "a.example.com", "-keyalg EC -groupname secp256r1"));
    PAIRS.put(
        "P-384", TestCertificates.make(folder, "b.example.com", "-keyalg EC -groupname secp384r1"));
    PAIRS.put("RSA", TestCertificates.make(folder, "c.example.com", "-keyalg RSA -keysize 2048"));
    PAIRS.put("Ed25519", TestCertificates.make(folder, "d.example.com", "-keyalg Ed25519"));
  }

  private static Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static String certificate(String kind) throws Exception {
    return pemOf("CERTIFICATE", PAIRS.get(kind).certificate().getEncoded());
  }

  private static TlsCertificate read(
      Path certificate, @Nullable Path key, @Nullable String password) throws TlsFileException {
    return TlsCertificate.read(new TlsSettings.Files(certificate, key, password));
  }

  /** Returns the key without its PKCS#8 wrapping: PKCS#1 for RSA, SEC 1 for elliptic curves. */
  private static byte[] unwrapped(PrivateKey key) throws InvalidBerException {
    BerReader info = BerReader.trusted(key.getEncoded()).sequence();
    int _ = info.integer();
    BerReader _ = info.sequence();
    return info.octets();
  }

  private static byte[] encrypted(PrivateKey key, String password) throws Exception {
    SecretKey secret =
        SecretKeyFactory.getInstance(ENCRYPTION)
            .generateSecret(new PBEKeySpec(password.toCharArray()));
    Cipher cipher = Cipher.getInstance(ENCRYPTION);
    cipher.init(Cipher.ENCRYPT_MODE, secret);
    byte[] parameters = cipher.getParameters().getEncoded();
    boolean isWhole = BerReader.trusted(parameters).sequence().nextTag() == PBES2[0];
    BerWriter algorithm =
        isWhole
            ? new BerWriter().raw(parameters)
            : new BerWriter().sequence(new BerWriter().raw(PBES2).raw(parameters));
    return new BerWriter()
        .sequence(algorithm.octets(cipher.doFinal(key.getEncoded())))
        .toByteArray();
  }

  private static void assertIs(TlsCertificate read, String kind) {
    assertThat(read.key()).isEqualTo(PAIRS.get(kind).key());
    assertThat(read.leaf()).isEqualTo(PAIRS.get(kind).certificate());
  }

  @Test
  void shouldReadEveryKindOfKeyInPkcs8AndPkcs12() throws Exception {
    for (String kind : PAIRS.keySet()) {
      PrivateKey key = PAIRS.get(kind).key();
      Path certificate = write(kind + ".pem", certificate(kind));
      assertIs(read(certificate, write("key", pemOf("PRIVATE KEY", key.getEncoded())), null), kind);
      Path encrypted = write("key", pemOf("ENCRYPTED PRIVATE KEY", encrypted(key, "secret")));
      assertIs(read(certificate, encrypted, "secret"), kind);
      assertIs(read(PAIRS.get(kind).pkcs12(), null, TestCertificates.PASSWORD), kind);
      assertIs(read(PAIRS.get(kind).pem(folder.resolve("both.pem")), null, null), kind);
    }
  }

  @Test
  void shouldReadKeysAsAcmeClientsWriteThem() throws Exception {
    Path rsa = write("key", pemOf("RSA PRIVATE KEY", unwrapped(PAIRS.get("RSA").key())));
    assertIs(read(write("c.pem", certificate("RSA")), rsa, null), "RSA");
    for (String kind : List.of("P-256", "P-384")) {
      BerReader info = BerReader.trusted(PAIRS.get(kind).key().getEncoded()).sequence();
      int _ = info.integer();
      BerReader algorithm = info.sequence();
      byte[] _ = algorithm.element();
      String curve = pemOf("EC PARAMETERS", algorithm.element());
      String key = pemOf("EC PRIVATE KEY", unwrapped(PAIRS.get(kind).key()));
      assertIs(read(write("c.pem", certificate(kind)), write("key", curve + key), null), kind);
    }
  }

  @Test
  void shouldSayWhatIsWrongWithAFile() throws Exception {
    PrivateKey key = PAIRS.get("P-256").key();
    Path certificate = write("good.pem", certificate("P-256"));
    Path other = write("other", pemOf("PRIVATE KEY", PAIRS.get("RSA").key().getEncoded()));
    Path sealed = write("sealed", pemOf("ENCRYPTED PRIVATE KEY", encrypted(key, "secret")));
    String oldForm =
        """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,00

        AAAA
        -----END RSA PRIVATE KEY-----
        """;
    assertFails(certificate, other, null, "the key is not that of the first certificate");
    assertFails(certificate, sealed, null, "no password is configured");
    assertFails(certificate, sealed, "wrong", "sealed: ");
    assertFails(certificate, write("old", oldForm), "x", "openssl pkcs8 -topk8");
    assertFails(certificate, certificate, null, "no private key");
    assertFails(other, other, null, "no certificate");
    assertFails(folder.resolve("none"), null, null, "there is no file");
    assertFails(PAIRS.get("RSA").pkcs12(), null, "wrong", "another password");
    assertFails(write("empty", ""), null, null, "no certificate");
  }

  private static void assertFails(
      Path certificate, @Nullable Path key, @Nullable String password, String message) {
    assertThatThrownBy(() -> read(certificate, key, password))
        .isInstanceOf(TlsFileException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldRejectFilesThatAreCutOrDamaged() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (Path file :
        List.of(PAIRS.get("P-256").pem(folder.resolve("whole")), PAIRS.get("P-256").pkcs12())) {
      byte[] whole = Files.readAllBytes(file);
      for (int i = 0; i < 150; i++) {
        byte[] content = whole.clone();
        int at = random.nextInt(content.length);
        content[at] ^= (byte) (1 << random.nextInt(8));
        byte[] cut = Arrays.copyOf(content, random.nextInt(content.length));
        Path damaged = Files.write(folder.resolve("damaged"), i % 2 == 0 ? content : cut);
        try {
          TlsCertificate read = read(damaged, null, TestCertificates.PASSWORD);
          // The public key that a file may have beside the private one counts for nothing.
          assertThat(((ECPrivateKey) read.key()).getS())
              .as("seed %d, %d", seed, i)
              .isEqualTo(((ECPrivateKey) PAIRS.get("P-256").key()).getS());
        } catch (TlsFileException e) {
          assertThat(e.getMessage()).contains("damaged");
        }
      }
    }
  }

  @Test
  void shouldCompareHostNamesWithWildcards() throws Exception {
    assertThat(read(PAIRS.get("RSA").pkcs12(), null, TestCertificates.PASSWORD).hostNames())
        .containsExactly("c.example.com", "127.0.0.1");
    List<String> names = List.of("ldap.example.com", "*.example.org");
    assertThat(TlsCertificate.isAmong(names, "LDAP.Example.COM")).isTrue();
    assertThat(TlsCertificate.isAmong(names, "a.example.org")).isTrue();
    assertThat(TlsCertificate.isAmong(names, "a.b.example.org")).isFalse();
    assertThat(TlsCertificate.isAmong(names, "example.org")).isFalse();
    assertThat(TlsCertificate.isAmong(names, ".example.org")).isFalse();
  }

  @Test
  void shouldNotShowAPassword() {
    TlsSettings.Files files = new TlsSettings.Files(Path.of("a"), Path.of("b"), "canary");
    assertThat(
            new TlsSettings(TlsSettings.Engine.JDK, List.of(files), 1, 1, ClientCertificates.NONE)
                .toString())
        .doesNotContain("canary");
  }
}
