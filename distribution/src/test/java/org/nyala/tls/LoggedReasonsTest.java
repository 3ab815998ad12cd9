package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.ongres.scram.client.ScramClient;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.GenericSASLBindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SASLBindInProgressException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.process.LocalServer;

/**
 * Tests the reasons in the security log that depend on time, or on what happens between the
 * messages of an exchange: clients are told "invalid credentials" at most.
 */
class LoggedReasonsTest extends ClientCertificateTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final String ALICE_DN = "uid=alice," + BASE;
  private static final String SCRAM = "SCRAM-SHA-256";
  private static final int TIMEOUT_SECONDS = 1;

  /** The time within which a client is mostly served, after one that has loaded all classes. */
  private static final int VALID_SECONDS = 5;

  private static final int MOST_VALID_SECONDS = 60;

  private void serve(String more) throws Exception {
    start("auto", "%s }\npassword.scheme = %s\n%s\ntls {".formatted(OPTIONAL, SCRAM, more));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      root.add(
          "dn: " + ALICE_DN,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: alice",
          "userPassword: secret");
    }
  }

  private static LDAPResult step(LDAPConnection client, String message) throws LDAPException {
    try {
      return client.bind(
          new GenericSASLBindRequest(null, SCRAM, new ASN1OctetString(message.getBytes(UTF_8))));
    } catch (SASLBindInProgressException e) {
      return e.getBindResult();
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  /** Returns a client of others that has sent its first message and knows the challenge. */
  private static ScramClient begun(LDAPConnection client) throws Exception {
    ScramClient scram =
        ScramClient.builder()
            .advertisedMechanisms(List.of(SCRAM))
            .username("alice")
            .password("secret".toCharArray())
            .build();
    byte[] first = scram.clientFirstMessage().toString().getBytes(UTF_8);
    try {
      client.bind(new GenericSASLBindRequest(null, SCRAM, new ASN1OctetString(first)));
    } catch (SASLBindInProgressException e) {
      var _ = scram.serverFirstMessage(e.getServerSASLCredentials().stringValue());
    }
    return scram;
  }

  /** A line of the log has the reason for which a bind has failed. */
  private void shouldHaveLogged(String reason, String more) throws IOException {
    String member = " reason=" + reason + " ";
    eventually(
        "the log tells of " + reason,
        () -> log().stream().anyMatch(line -> line.contains(" bind-failed ")));
    assertThat(log())
        .filteredOn(line -> line.contains(member))
        .singleElement()
        .asString()
        .contains(" bind-failed from=127.0.0.1 ", " code=49 ", more);
  }

  private List<String> log() throws IOException {
    String log = Files.readString(folder.resolve("logs/security.log"));
    return log.substring(0, log.lastIndexOf('\n') + 1).lines().toList();
  }

  private static void shouldBeInvalid(LDAPResult result) {
    assertThat(result.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }

  /** The proof is right. */
  @Test
  void shouldLogExchangesThatTakeTooLong() throws Exception {
    serve("sasl.timeoutSeconds = " + TIMEOUT_SECONDS);
    try (LDAPConnection client = LocalServer.connect(server)) {
      String proof = begun(client).clientFinalMessage().toString();
      long began = System.nanoTime();
      eventually(
          "the time is over",
          () -> System.nanoTime() - began > TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      shouldBeInvalid(step(client, proof));
      shouldHaveLogged("exchange-too-slow", " user=\"alice\"");
    }
    shouldBeAtRest();
  }

  /** The proof is right for the keys of which the challenge was made. */
  @Test
  void shouldLogPasswordsThatChangeDuringAnExchange() throws Exception {
    serve("");
    try (LDAPConnection root = LocalServer.connectAsRoot(server);
        LDAPConnection client = LocalServer.connect(server)) {
      String proof = begun(client).clientFinalMessage().toString();
      root.modify(ALICE_DN, new Modification(ModificationType.REPLACE, "userPassword", "other"));
      shouldBeInvalid(step(client, proof));
      shouldHaveLogged("changed-meanwhile", " entry=\"" + ALICE_DN + "\"");
    }
    shouldBeAtRest();
  }

  /** The client would bind the channel, and thinks that the server does not. */
  @Test
  void shouldLogThatTheBindingOfChannelsWasHidden() throws Exception {
    serve("");
    try (LDAPConnection client =
        new LDAPConnection(
            new ProvenClient(null).context().getSocketFactory(), "127.0.0.1", port())) {
      LDAPResult result = step(client, "y,,n=alice,r=abc");
      shouldBeInvalid(result);
      assertThat(result.getDiagnosticMessage()).isNull();
      shouldHaveLogged("hidden-channel-binding", " user=\"alice\"");
    }
    // Without encryption there is nothing to hide.
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThat(step(client, "y,,n=alice,r=abc").getResultCode())
          .isEqualTo(ResultCode.SASL_BIND_IN_PROGRESS);
    }
    shouldBeAtRest();
  }

  /** It was valid at the time of the handshake. */
  @Test
  void shouldLogCertificatesThatHaveEnded() throws Exception {
    serve("");
    assertThat(new ProvenClient(alice).isServed(port(), "TLSv1.3")).isTrue();
    boolean wasServed = false;
    for (int seconds = VALID_SECONDS; !wasServed; seconds *= 2) {
      assertThat(seconds).as("the time in which one is served").isLessThan(2 * MOST_VALID_SECONDS);
      wasServed = isRefusedAfterItsEnd(Math.min(seconds, MOST_VALID_SECONDS));
    }
    shouldBeAtRest();
  }

  /** Returns false if the certificate has ended before the client was served. */
  private boolean isRefusedAfterItsEnd(int seconds) throws Exception {
    Instant now = Instant.now();
    Issued brief =
        root.issue(
            Content.client("UID=alice,DC=example,DC=com")
                .valid(now.minusSeconds(60), now.plusSeconds(seconds)));
    Instant end = brief.certificate().getNotAfter().toInstant();
    try (LDAPConnection client =
        new LDAPConnection(
            new ProvenClient(brief).context().getSocketFactory(), "127.0.0.1", port())) {
      assertThat(client.getRootDSE()).isNotNull();
      // The server compares milliseconds.
      eventually(
          "the certificate has ended", () -> System.currentTimeMillis() > end.toEpochMilli());
      LDAPResult result = result(client);
      shouldBeInvalid(result);
      assertThat(result.getDiagnosticMessage()).isNull();
      shouldHaveLogged("certificate-dates", " mech=\"EXTERNAL\"");
      return true;
    } catch (LDAPException e) {
      // Nothing behind the first answer throws one.
      assertThat(Instant.now()).as("refused: %s", e).isAfter(end);
      return false;
    }
  }

  private static LDAPResult result(LDAPConnection client) {
    try {
      return client.bind(new EXTERNALBindRequest());
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }
}
