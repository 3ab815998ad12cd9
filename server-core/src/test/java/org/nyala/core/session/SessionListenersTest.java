package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;

/** Tests that each of several listeners learns of all events, and that one alone costs nothing. */
class SessionListenersTest {
  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  private volatile @Nullable Operation ended;

  /** A listener that notes what it learns of. */
  private final class Noting implements SessionListener {
    private final String name;

    private Noting(String name) {
      this.name = name;
    }

    @Override
    public void opened(Session session) {
      heard.add(name + " opened");
    }

    @Override
    public void encrypted(Session session, String protocol, String cipher) {
      heard.add(name + " encrypted " + protocol + " " + cipher);
    }

    @Override
    public void started(Session session, int number, Request request) {
      heard.add(name + " started " + number + " " + request.messageId());
    }

    @Override
    public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
      ended = operation;
      heard.add(name + " completed " + operation.request().messageId());
    }

    @Override
    public void bindMalformed(Session session, LdapResult answer) {
      heard.add(name + " bindMalformed " + answer.code());
    }

    @Override
    public void accountLocked(Session session, Operation operation, Dn account) {
      heard.add(name + " accountLocked");
    }

    @Override
    public void passwordChanged(Session session, Operation operation, Dn account) {
      heard.add(name + " passwordChanged");
    }

    @Override
    public void closed(Session session) {
      heard.add(name + " closed");
    }
  }

  @Test
  void shouldTellEachOfAllEventsInOrder() {
    SessionListener both =
        SessionListener.of(new Noting("a"), SessionListener.NONE, new Noting("b"));
    try (SessionFixture fixture =
        new SessionFixture("striped", 1, 2, SessionFixture.limits(2, 2), both)) {
      RecordingClient client = fixture.open();
      client.send(SessionFixture.search(7, "quick"));
      eventually("all have learnt of its end", () -> heard.size() == 4);
      client.breakOff();
      assertThat(heard)
          .containsExactly(
              "a started 0 7",
              "b started 0 7",
              "a completed 7",
              "b completed 7",
              "a closed",
              "b closed");
      heard.clear();
      Operation operation = Objects.requireNonNull(ended);
      both.opened(client.session);
      both.encrypted(client.session, "TLSv1.3", "x");
      both.bindMalformed(client.session, LdapResult.SUCCESS);
      both.accountLocked(client.session, operation, Dn.EMPTY);
      both.passwordChanged(client.session, operation, Dn.EMPTY);
      assertThat(heard)
          .containsExactly(
              "a opened",
              "b opened",
              "a encrypted TLSv1.3 x",
              "b encrypted TLSv1.3 x",
              "a bindMalformed SUCCESS",
              "b bindMalformed SUCCESS",
              "a accountLocked",
              "b accountLocked",
              "a passwordChanged",
              "b passwordChanged");
    }
  }

  /** An event that is added later, and not passed on, would be lost to all. */
  @Test
  void shouldPassOnEachKindOfEvent() throws Exception {
    int kinds = 0;
    for (Method each : SessionListener.class.getDeclaredMethods()) {
      if (each.isDefault()) {
        assertThat(
                SessionListeners.class
                    .getMethod(each.getName(), each.getParameterTypes())
                    .getDeclaringClass())
            .as(each.getName())
            .isEqualTo(SessionListeners.class);
        kinds++;
      }
    }
    assertThat(kinds).isGreaterThan(7);
  }

  @Test
  void shouldBeTheOneAlone() {
    Noting one = new Noting("a");
    assertThat(SessionListener.of(SessionListener.NONE, one)).isSameAs(one);
    assertThat(SessionListener.of(SessionListener.NONE)).isSameAs(SessionListener.NONE);
    assertThat(SessionListener.of()).isSameAs(SessionListener.NONE);
  }
}
