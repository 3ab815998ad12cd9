package org.nyala.core.operation.bind;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.PEOPLE;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.modify;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.operation.UpdateFixture;
import org.nyala.core.operation.update.RuledDirectory;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.core.session.Operation;

/** Tests that binds with passwords take the right to authenticate. */
class RuledBindTest {
  private static final String NOBODY = "uid=nobody," + PEOPLE;
  private static final String ALLOWED =
      "to attributes userPassword\n  anonymous may authenticate\nto all\n  users may read";

  private final RuledDirectory ruled = new RuledDirectory();
  private Operation last;

  @BeforeEach
  void give() {
    ruled.directory.access = ruled.directory.access.withSasl(SaslSettings.DEFAULT);
    ruled.rules(ALLOWED);
    store(PasswordScheme.SSHA512);
  }

  private void store(PasswordScheme scheme) {
    byte[] hash = PasswordHash.create(scheme, "secret".getBytes(UTF_8), new Random(1));
    assertThat(ruled.asRoot(modify(ANN, change(2, "userPassword", new String(hash, US_ASCII)))))
        .isEqualTo(ResultCode.SUCCESS);
  }

  @AfterEach
  void close() {
    ruled.close();
  }

  private LdapResult bind(String name, @Nullable String mechanism, String credentials) {
    ruled.directory.identity = BoundIdentity.ANONYMOUS;
    RecordingSink sink = new RecordingSink(100);
    last =
        ruled.directory.start(
            new Request.Bind(1, 3, name, mechanism, credentials.getBytes(UTF_8), List.of()), sink);
    UpdateFixture.await(sink);
    return sink.results.getFirst();
  }

  private @Nullable RefusalReason reason() {
    return Objects.requireNonNull(last.trail()).reason();
  }

  @Test
  void shouldBindWithTheRightToAuthenticate() {
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bind(ANN, null, "wrong").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(reason()).isEqualTo(RefusalReason.WRONG_PASSWORD);
    assertThat(bind("", "PLAIN", "\0ann\0secret").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bind("", "PLAIN", "\0dn:" + ANN + "\0secret").code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldAnswerWithoutTheRightAsForAWrongPassword() {
    ruled.rules("to all\n  anonymous may read\n  users may authenticate, read");
    LdapResult wrong = LdapResult.of(ResultCode.INVALID_CREDENTIALS);
    for (String password : List.of("secret", "wrong")) {
      assertThat(bind(ANN, null, password)).isEqualTo(wrong);
      assertThat(reason()).isEqualTo(RefusalReason.MAY_NOT_AUTHENTICATE);
      assertThat(last.trail().found()).isEqualTo(UpdateFixture.dn(ANN));
      assertThat(bind("", "PLAIN", "\0ann\0" + password)).isEqualTo(wrong);
      assertThat(reason()).isEqualTo(RefusalReason.MAY_NOT_AUTHENTICATE);
      assertThat(bind(NOBODY, null, password)).isEqualTo(wrong);
      assertThat(reason()).isEqualTo(RefusalReason.UNKNOWN_NAME);
    }
    assertThat(last.established()).isNull();
  }

  @Test
  void shouldTakeAsLongWithoutTheRight() {
    store(PasswordScheme.CRYPT);
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(last.lane()).isEqualTo(Lane.HASH);
    ruled.rules("to all\n  users may authenticate");
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(last.lane()).isEqualTo(Lane.HASH);
    assertThat(bind(NOBODY, null, "secret").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    assertThat(last.lane()).isEqualTo(Lane.HASH);
  }

  @Test
  void shouldShowNoKeysWithoutTheRight() {
    store(PasswordScheme.SCRAM_SHA256);
    String allowed = challenge("ann");
    ruled.rules("to all\n  users may authenticate");
    String denied = challenge("ann");
    assertThat(denied).isNotEqualTo(allowed).isEqualTo(challenge("ANN"));
    ruled.rules(ALLOWED);
    assertThat(challenge("ann")).isEqualTo(allowed);
  }

  /** Returns the salt of the server's first message. */
  private String challenge(String user) {
    assertThat(bind("", "SCRAM-SHA-256", "n,,n=" + user + ",r=abcdef").code())
        .isEqualTo(ResultCode.SASL_BIND_IN_PROGRESS);
    ScramState state = (ScramState) Objects.requireNonNull(last.exchange());
    return state.exchange().keys().salt();
  }

  @Test
  void shouldAskAboutTheClientAsItIsDuringItsBind() {
    ruled.rules(
        """
        to attributes userPassword
          from 192.0.2.0/24 may authenticate
          self may authenticate\
        """);
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    ruled.rules("to attributes userPassword\n  anonymous from 0.0.0.0/0 may authenticate");
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.SUCCESS);
    ruled.rules("to attributes userPassword\n  over 1 may authenticate");
    assertThat(bind(ANN, null, "secret").code()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
  }
}
