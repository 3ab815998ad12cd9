package org.nyala.core.sasl;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.password.TestPermit;

/** Tests the server's side of SCRAM with the example of RFC 7677, section 3. */
final class ScramExchangeTest {
  private static final String NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  private static final String FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
  private static final String CHALLENGE =
      "r=rOprNGfwEbeRWgbNEkqO" + NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
  private static final String WITHOUT_PROOF = "c=biws,r=rOprNGfwEbeRWgbNEkqO" + NONCE;
  private static final String FINAL =
      WITHOUT_PROOF + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
  private static final String SIGNATURE = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

  /** The keys of "pencil" with the salt of the example. */
  private static final String STORED =
      "{SCRAM-SHA-256}4096:W22ZaJ0SNY7soEsUEjb6gQ=="
          + "$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";

  private static ScramKeys keys() {
    return Objects.requireNonNull(PasswordHash.parse(bytes(STORED)).scramKeys());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static ScramExchange begun(String first) throws MalformedSaslException {
    return new ScramExchange(ScramFirst.read(bytes(first)), keys(), NONCE);
  }

  @Test
  void shouldAgreeWithTheExample() throws Exception {
    ScramExchange exchange = begun(FIRST);
    assertThat(exchange.challenge()).asString(US_ASCII).isEqualTo(CHALLENGE);
    assertThat(exchange.finish(TestPermit.ANY, bytes(FINAL), new byte[0]))
        .asString(US_ASCII)
        .isEqualTo(SIGNATURE);
    assertThat(TestPermit.matches(PasswordHash.parse(bytes(STORED)), "pencil")).isTrue();
    assertThat(TestPermit.matches(PasswordHash.parse(bytes(STORED)), "Pencil")).isFalse();
    assertThat(keys().toString() + PasswordHash.parse(bytes(STORED))).doesNotContain("WG5d8oPm");
  }

  /** Changes each bit of the last message in turn. */
  @Test
  void shouldAcceptNoOtherMessage() throws Exception {
    ScramExchange exchange = begun(FIRST);
    byte[] message = bytes(FINAL);
    for (int i = 0; i < message.length * 8; i++) {
      byte[] other = message.clone();
      other[i / 8] ^= (byte) (1 << i % 8);
      byte[] answer = null;
      try {
        answer = exchange.finish(TestPermit.ANY, other, new byte[0]);
      } catch (MalformedSaslException _) {
        continue;
      }
      assertThat(answer).as("bit %d", i).isNull();
    }
    for (int length = 0; length < message.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(message, length);
      try {
        assertThat(exchange.finish(TestPermit.ANY, cut, new byte[0])).isNull();
      } catch (MalformedSaslException e) {
        assertThat(e).hasMessageStartingWith("SCRAM: ");
      }
    }
  }

  @Test
  void shouldBindTheChannel() throws Exception {
    String first = "p=tls-server-end-point,,n=user,r=abc";
    byte[] binding = new byte[32];
    new Random(1).nextBytes(binding);
    String header = "p=tls-server-end-point,,";
    byte[] whole = java.util.Arrays.copyOf(bytes(header), header.length() + 32);
    System.arraycopy(binding, 0, whole, header.length(), 32);
    assertThat(ScramFirst.read(bytes(first)).binding()).isEqualTo("tls-server-end-point");
    ScramClient client = new ScramClient(keys(), "pencil", first, begun(first).challenge());
    assertThat(begun(first).finish(TestPermit.ANY, client.last(whole), binding))
        .isEqualTo(client.signature());
    assertThat(begun(first).finish(TestPermit.ANY, client.last(bytes(header)), binding)).isNull();
    binding[31] ^= 1;
    ScramClient same = new ScramClient(keys(), "pencil", first, begun(first).challenge());
    assertThat(begun(first).finish(TestPermit.ANY, same.last(whole), binding)).isNull();
  }

  @Test
  void shouldKnowWhichPartWasWrong() throws Exception {
    String first = "p=tls-server-end-point,,n=user,r=abc";
    String header = "p=tls-server-end-point,,";
    byte[] challenge = begun(first).challenge();
    byte[] right = new ScramClient(keys(), "pencil", first, challenge).last(bytes(header));
    ScramExchange elsewhere = begun(first);
    assertThat(elsewhere.finish(TestPermit.ANY, right, new byte[32])).isNull();
    assertThat(elsewhere.mismatch()).isEqualTo(ScramExchange.Mismatch.CHANNEL);
    ScramExchange guessed = begun(first);
    byte[] guess = new ScramClient(keys(), "pen", first, challenge).last(bytes(header));
    assertThat(guessed.finish(TestPermit.ANY, guess, new byte[0])).isNull();
    assertThat(guessed.mismatch()).isEqualTo(ScramExchange.Mismatch.PROOF);
    ScramExchange replayed = begun(first.replace("r=abc", "r=abd"));
    assertThat(replayed.finish(TestPermit.ANY, right, new byte[0])).isNull();
    assertThat(replayed.mismatch()).isEqualTo(ScramExchange.Mismatch.NONCE);
    ScramExchange own = begun(first);
    assertThat(own.finish(TestPermit.ANY, right, new byte[0])).isNotNull();
    assertThat(own.mismatch()).isNull();
  }

  @Test
  void shouldHaveDecoysThatNoProofFits() throws Exception {
    ScramKeys decoy = ScramKeys.decoy(PasswordScheme.SCRAM_SHA256, 4096, new byte[16]);
    ScramExchange exchange = new ScramExchange(ScramFirst.read(bytes(FIRST)), decoy, NONCE);
    ScramClient client = new ScramClient(decoy, "pencil", FIRST, exchange.challenge());
    assertThat(exchange.finish(TestPermit.ANY, client.last(bytes("n,,")), new byte[0])).isNull();
    // The proof that its keys would have, which are nothing but zeros.
    byte[] none = new byte[32];
    String proof = WITHOUT_PROOF + ",p=" + Base64.getEncoder().encodeToString(none);
    assertThat(exchange.finish(TestPermit.ANY, bytes(proof), new byte[0])).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "n",
        "n,",
        "n,,",
        "n,,n=user",
        "n,,r=abc,n=user",
        "n,,n=,r=abc",
        "n,,n=user,r=",
        "n,,n=user,r=a b",
        "n,,n=user,r=\u00e4",
        "n,,m=1,n=user,r=abc",
        "n,,n=us=er,r=abc",
        "n,,n=us=2cer,r=abc",
        "n,,n=us\u0007er,r=abc",
        "n,b=x,n=user,r=abc",
        "n,a=,n=user,r=abc",
        "x,,n=user,r=abc",
        "p=,,n=user,r=abc",
        "p,,n=user,r=abc",
        "yy,,n=user,r=abc"
      })
  void shouldRefuseMalformedFirstMessages(String message) {
    assertThatThrownBy(() -> ScramFirst.read(bytes(message)))
        .isInstanceOf(MalformedSaslException.class);
  }

  @Test
  void shouldReadNames() throws Exception {
    ScramFirst first = ScramFirst.read(bytes("y,a=dn:cn=3Da=2Cdc=3Db,n=us=2C=3Der,r=abc,x=1"));
    assertThat(first.authorizationId()).isEqualTo("dn:cn=a,dc=b");
    assertThat(first.user()).isEqualTo("us,=er");
    assertThat(first.knowsBinding()).isTrue();
    assertThat(first.bare()).isEqualTo("n=us=2C=3Der,r=abc,x=1");
    // SASLprep: a soft hyphen is nothing, a Roman numeral is letters.
    assertThat(ScramFirst.read(bytes("n,,n=I\u00adX\u2168,r=abc")).user()).isEqualTo("IXIX");
    assertThatThrownBy(() -> ScramFirst.read(new byte[ScramFirst.MESSAGE_LENGTH + 1]))
        .hasMessageContaining("2048");
    assertThatThrownBy(() -> ScramFirst.read(new byte[] {'n', ',', ',', (byte) 0xC0}))
        .hasMessageContaining("UTF-8");
  }

  @Test
  void shouldSurviveRandomMessages() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] alphabet = bytes("ny,=anrpcm2CD3+/\\$\u00e4\u0000");
    for (int i = 0; i < 20_000; i++) {
      byte[] message = new byte[random.nextInt(40)];
      for (int at = 0; at < message.length; at++) {
        message[at] = alphabet[random.nextInt(alphabet.length)];
      }
      try {
        assertThat(ScramFirst.read(message).user()).as("seed %d", seed).isNotEmpty();
      } catch (MalformedSaslException e) {
        assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
      }
      try {
        assertThat(begun(FIRST).finish(TestPermit.ANY, message, new byte[0]))
            .as("seed %d", seed)
            .isNull();
      } catch (MalformedSaslException e) {
        assertThat(e.getMessage()).as("seed %d", seed).isNotEmpty();
      }
    }
  }
}
