package org.nyala.sasl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.process.LocalServer;

/** Tests what must not be possible with GSSAPI and its layers. */
class GssapiAttackTest extends GssapiTestCase {
  private static final int MOST = 1 << 16;
  private static final String NOTICE = "1.3.6.1.4.1.1466.20036";

  @BeforeAll
  static void serve() throws Exception {
    serve("");
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      addUsers(root);
    }
  }

  private static GssapiClient bound(int layer) throws Exception {
    return client(ann).bound(ann, layer);
  }

  private static byte[] both(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** The connection ends with a notice, which is wrapped, and the failure is counted. */
  private static void shouldEnd(GssapiClient client, byte[] sent) throws Exception {
    long failures = metrics().saslLayerFailures().sum();
    client.write(sent);
    var notice = client.answer();
    assertThat(notice.getResponseOID()).isEqualTo(NOTICE);
    assertThat(notice.getResultCode()).isEqualTo(ResultCode.PROTOCOL_ERROR_INT_VALUE);
    assertThat(client.unwrapped()).isNull();
    assertThat(metrics().saslLayerFailures().sum()).isEqualTo(failures + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, MOST + 1, 0x30050201})
  void shouldEndConnectionsWithWrongLengths(int length) throws Exception {
    for (int layer : List.of(GssapiClient.AUTH_INT, GssapiClient.AUTH_CONF)) {
      try (GssapiClient client = bound(layer)) {
        shouldEnd(client, GssapiClient.framed(length, new byte[1]));
      }
    }
  }

  @Test
  void shouldEndConnectionsWithForgedBuffers() throws Exception {
    for (int layer : List.of(GssapiClient.AUTH_INT, GssapiClient.AUTH_CONF)) {
      for (int at = 4; at < 90; at += 7) {
        try (GssapiClient client = bound(layer)) {
          byte[] sent = client.wrap(client.whoAmI());
          int place = Math.min(at, sent.length - 1);
          sent[place] ^= 0x10;
          shouldEnd(client, sent);
        }
      }
      try (GssapiClient client = bound(layer)) {
        shouldEnd(client, GssapiClient.framed(MOST, new byte[MOST]));
      }
    }
  }

  @Test
  void shouldEndConnectionsWithRepeatedBuffers() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_INT)) {
      byte[] sent = client.wrap(client.whoAmI());
      client.write(sent);
      assertThat(GssapiClient.name(client.answer())).isEqualTo("dn:" + ANN);
      shouldEnd(client, sent);
    }
    try (GssapiClient client = bound(GssapiClient.AUTH_INT)) {
      byte[] _ = client.wrap(client.whoAmI());
      // One was left out.
      shouldEnd(client, client.wrap(client.whoAmI()));
    }
  }

  /** Integrity alone is not what was agreed upon. */
  @Test
  void shouldEndConnectionsThatStopEncrypting() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_CONF)) {
      client.protect(GssapiClient.AUTH_INT);
      byte[] sent = client.wrap(client.whoAmI());
      client.protect(GssapiClient.AUTH_CONF);
      shouldEnd(client, sent);
    }
  }

  @Test
  void shouldReadNothingInClearTextBehindTheLayer() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_CONF)) {
      shouldEnd(client, client.whoAmI());
    }
    try (GssapiClient client = bound(GssapiClient.AUTH_CONF)) {
      byte[] wrapped = client.wrap(client.whoAmI());
      client.write(wrapped);
      assertThat(GssapiClient.name(client.answer())).isEqualTo("dn:" + ANN);
      shouldEnd(client, client.whoAmI());
    }
  }

  @Test
  void shouldTakeStreamsSplitAnywhere() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_CONF)) {
      int end = 1;
      for (int at = 0; at < end; at++) {
        byte[] stream = both(client.wrap(client.whoAmI()), client.wrap(client.whoAmI()));
        end = stream.length;
        client.write(Arrays.copyOf(stream, at));
        client.write(Arrays.copyOfRange(stream, at, end));
        assertThat(answered(client, 2)).as("%s", at).isEqualTo(2);
      }
    }
  }

  /**
   * Returns the number of identities that were answered, in as many wrapped buffers as it takes.
   */
  private static int answered(GssapiClient client, int wanted) throws Exception {
    int count = 0;
    while (count < wanted) {
      String text = new String(client.unwrapped(), ISO_8859_1);
      for (int at = text.indexOf("dn:"); at >= 0; at = text.indexOf("dn:", at + 1)) {
        count++;
      }
    }
    return count;
  }

  /** A byte in each wrapped buffer, and thousands of buffers at once. */
  @Test
  void shouldTakeSmallBuffers() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_INT)) {
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      for (int i = 0; i < 100; i++) {
        for (byte each : client.whoAmI()) {
          stream.writeBytes(client.wrap(new byte[] {each}));
          if (i == 0) {
            stream.writeBytes(client.wrap(new byte[0]));
          }
        }
      }
      client.write(stream.toByteArray());
      assertThat(answered(client, 100)).isEqualTo(100);
    }
    try (GssapiClient client = bound(GssapiClient.AUTH_INT)) {
      byte[][] requests = new byte[50][];
      for (int i = 0; i < requests.length; i++) {
        requests[i] = client.whoAmI();
      }
      client.write(client.wrap(both(requests)));
      assertThat(answered(client, 50)).isEqualTo(50);
    }
  }

  /** Bytes behind the last message of a bind are wrapped exactly if the bind brings a layer. */
  @Test
  void shouldUnwrapWhatHasComeBehindTheBind() throws Exception {
    try {
      for (String strategy : DispatchStrategies.OFFERED) {
        String _ = server.dispatchManagement().switchStrategy(strategy);
        for (int split : List.of(0, 1, 3, 4, 20)) {
          shouldUnwrapBehindTheBind(split);
        }
        shouldRefuseClearBehindTheBind();
        shouldReadClearBehindAFailure();
        shouldReadClearWithoutLayer();
      }
    } finally {
      String _ = server.dispatchManagement().switchStrategy(DispatchStrategies.DEFAULT);
    }
  }

  private static void shouldUnwrapBehindTheBind(int split) throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      byte[] bind = client.bind(client.choice(GssapiClient.AUTH_CONF, MOST, ""));
      client.protect(GssapiClient.AUTH_CONF);
      byte[] wrapped = client.wrap(client.whoAmI());
      client.write(both(bind, Arrays.copyOf(wrapped, split)));
      client.write(Arrays.copyOfRange(wrapped, split, wrapped.length));
      assertThat(client.answerToBind().getResultCode()).isZero();
      assertThat(GssapiClient.name(client.answer())).isEqualTo("dn:" + ANN);
    }
  }

  private static void shouldRefuseClearBehindTheBind() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      byte[] bind = client.bind(client.choice(GssapiClient.AUTH_CONF, MOST, ""));
      client.write(both(bind, client.whoAmI(), client.whoAmI()));
      assertThat(client.answerToBind().getResultCode()).isZero();
      client.protect(GssapiClient.AUTH_CONF);
      assertThat(client.answer().getResponseOID()).isEqualTo(NOTICE);
      assertThat(client.unwrapped()).isNull();
    }
  }

  private static void shouldReadClearBehindAFailure() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      byte[] bind = client.bind(client.choice(GssapiClient.AUTH_CONF, MOST, "dn:cn=admin"));
      client.write(both(bind, client.whoAmI()));
      assertThat(client.answerToBind().getResultCode())
          .isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS_INT_VALUE);
      assertThat(GssapiClient.name(client.clear().getExtendedResponseProtocolOp())).isEmpty();
    }
  }

  private static void shouldReadClearWithoutLayer() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      byte[] bind = client.bind(client.choice(GssapiClient.AUTH, 0, ""));
      client.write(both(bind, client.whoAmI()));
      assertThat(client.answerToBind().getResultCode()).isZero();
      assertThat(GssapiClient.name(client.clear().getExtendedResponseProtocolOp()))
          .isEqualTo("dn:" + ANN);
    }
  }

  /** Whole exchanges in one go: what the client cannot know yet is not taken for protected. */
  @Test
  void shouldNotTakeClearRequestsThatCameBeforeTheChoice() throws Exception {
    for (String strategy : DispatchStrategies.OFFERED) {
      String _ = server.dispatchManagement().switchStrategy(strategy);
      try (GssapiClient client = client(ann)) {
        byte[] token = client.bind(client.token(ann));
        client.write(both(token, client.bind(new byte[0]), client.whoAmI()));
        // The second bind has ended the first.
        LDAPMessage answer = client.clear();
        while (answer.getProtocolOpType() == LDAPMessage.PROTOCOL_OP_TYPE_BIND_RESPONSE) {
          answer = client.clear();
        }
        assertThat(GssapiClient.name(answer.getExtendedResponseProtocolOp())).isEmpty();
      }
    }
    String _ = server.dispatchManagement().switchStrategy(DispatchStrategies.DEFAULT);
  }

  @Test
  void shouldRefuseGarbage() throws Exception {
    Random random = new Random(1);
    try (GssapiClient client = client(ann)) {
      for (int length : new int[] {1, 2, 17, 100, 5000, TOKEN_BYTES}) {
        byte[] garbage = new byte[length];
        random.nextBytes(garbage);
        shouldFail(client, garbage, ResultCode.INVALID_CREDENTIALS);
        garbage[0] = 0x60;
        shouldFail(client, garbage, ResultCode.INVALID_CREDENTIALS);
      }
      shouldFail(client, new byte[TOKEN_BYTES + 1], ResultCode.INVALID_CREDENTIALS);
      shouldFail(client, new byte[0], ResultCode.PROTOCOL_ERROR);
    }
    try (GssapiClient client = client(ann)) {
      byte[] token = client.token(ann);
      for (int i = 0; i < 500; i++) {
        byte[] damaged = token.clone();
        damaged[i % token.length] ^= (byte) (1 << random.nextInt(8));
        int code = client.step(damaged).getResultCode();
        assertThat(code).as("%s", i).isIn(14, ResultCode.INVALID_CREDENTIALS_INT_VALUE);
      }
      shouldFail(client, Arrays.copyOf(token, token.length / 2), ResultCode.INVALID_CREDENTIALS);
    }
  }

  @Test
  void shouldTakeThreeMessagesOnly() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = GssapiClient.challenge(client.step(client.token(ann)));
      shouldFail(client, new byte[1], ResultCode.INVALID_CREDENTIALS);
    }
    for (byte[] last : List.of(new byte[0], new byte[100], new byte[TOKEN_BYTES])) {
      try (GssapiClient client = client(ann)) {
        byte[] _ = client.untilChoice(ann);
        shouldFail(client, last, ResultCode.INVALID_CREDENTIALS);
        // There is no exchange any more.
        shouldFail(client, new byte[0], ResultCode.PROTOCOL_ERROR);
      }
    }
  }

  @Test
  void shouldRefuseOtherLayersThanOffered() throws Exception {
    for (int[] choice :
        new int[][] {{0, 0}, {3, MOST}, {7, MOST}, {8, MOST}, {4, 0}, {4, 4095}, {2, 1}}) {
      try (GssapiClient client = client(ann)) {
        assertThat(client.untilChoice(ann)).containsExactly(7, 1, 0, 0);
        byte[] last = client.choice(choice[0], choice[1], "");
        shouldFail(client, last, ResultCode.INVALID_CREDENTIALS);
      }
    }
    // Without detection of replays there is nothing that a layer could be made of.
    try (GssapiClient client = GssapiClient.connect(LocalServer.port(server), ann, true, false)) {
      assertThat(client.untilChoice(ann)).containsExactly(1, 0, 0, 0);
    }
  }

  @Test
  void shouldForgetExchangesOfClosedConnections() throws Exception {
    List<GssapiClient> clients = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      GssapiClient client = client(ann);
      clients.add(client);
      byte[] _ =
          i % 2 == 0
              ? client.step(client.token(ann)).getServerSASLCredentials().getValue()
              : client.untilChoice(ann);
    }
    assertThat(server.served().directory().memory().held()).isGreaterThan(60 * 16_384);
    for (GssapiClient client : clients) {
      client.close();
    }
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
  }

  @Test
  void shouldHoldTheMemoryOfLayers() throws Exception {
    try (GssapiClient client = bound(GssapiClient.AUTH_CONF)) {
      assertThat(client.identity()).isEqualTo("dn:" + ANN);
      long held = server.served().directory().memory().held();
      assertThat(held).isGreaterThan(16 << 10);
      byte[] wrapped = client.wrap(new byte[40_000]);
      client.write(Arrays.copyOf(wrapped, 39_000));
      eventually(
          "what has come of a buffer is held",
          () -> server.served().directory().memory().held() >= held + 39_000);
    }
  }

  @Test
  void shouldNotWaitForChoicesForEver() throws Exception {
    try (GssapiClient client = client(ann)) {
      byte[] _ = client.untilChoice(ann);
      long began = System.nanoTime();
      eventually(
          "the time is over",
          () -> System.nanoTime() - began > TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      byte[] last = client.choice(GssapiClient.AUTH_CONF, MOST, "");
      shouldFail(client, last, ResultCode.INVALID_CREDENTIALS);
    }
  }
}
