package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;

final class ConsumedContextsTest {
  private static final Dn COPIED = dn("dc=copied");
  private static final Dn CLOSED = dn("dc=closed");
  private static final Dn OWN = dn("dc=own");
  private final ConsumedContexts contexts = new ConsumedContexts();

  @BeforeEach
  void add() {
    contexts.add(COPIED, List.of("ldap://other"));
    contexts.add(CLOSED, List.of());
  }

  private static Dn dn(String text) {
    return RandomDirectory.dn(OperationFixture.SCHEMA, text);
  }

  @Test
  void refersOrRefusesByTheNamingContext() {
    assertThatThrownBy(() -> contexts.requireOwn(dn("uid=a,dc=copied")))
        .isInstanceOfSatisfying(
            LdapOperationException.class,
            e -> {
              assertThat(e.result().code()).isEqualTo(ResultCode.REFERRAL);
              assertThat(e.result().referrals()).containsExactly("ldap://other");
            });
    assertThatThrownBy(() -> contexts.requireOwn(CLOSED))
        .isInstanceOfSatisfying(
            LdapOperationException.class,
            e -> assertThat(e.result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
    assertThatCode(() -> contexts.requireOwn(OWN)).doesNotThrowAnyException();
  }

  @Test
  void holdsAllOfAStoreOrSome() {
    assertThat(contexts.holds(dn("uid=a,dc=copied"))).isTrue();
    assertThat(contexts.holds(OWN)).isFalse();
    assertThat(contexts.holdAll(List.of(COPIED, CLOSED))).isTrue();
    assertThat(contexts.holdAll(List.of(COPIED, OWN))).isFalse();
    assertThat(new ConsumedContexts().holdAll(List.of())).isFalse();
    assertThat(new ConsumedContexts().holds(OWN)).isFalse();
  }

  @Test
  void letsARemovedOneBeChanged() {
    contexts.remove(COPIED);
    assertThatCode(() -> contexts.requireOwn(COPIED)).doesNotThrowAnyException();
    assertThat(contexts.holds(CLOSED)).isTrue();
    contexts.remove(CLOSED);
    assertThat(contexts.isEmpty()).isTrue();
  }
}
