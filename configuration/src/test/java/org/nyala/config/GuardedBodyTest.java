package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationFixture;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.Hooks;

/** The faults of an extension, told apart from those of the operation that it encloses. */
class GuardedBodyTest {
  private static final Request SEARCH =
      OperationFixture.search("dc=example,dc=com", Scope.BASE, OperationFixture.ALL);
  private static final SliceBudget BUDGET = new SliceBudget(1, 1);

  private final List<String> told = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private boolean goesOn;

  private final GuardedBody.Guard guard =
      new GuardedBody.Guard() {
        @Override
        public boolean goesOn(Throwable fault) {
          told.add(fault.getMessage());
          return goesOn;
        }

        @Override
        public void held(long nanos) {
          assertThat(nanos).isNotNegative();
        }
      };

  /** An operation inside that ends, fails, or goes on. */
  private OperationBody inside(Outcome outcome, String failure) {
    return new OperationBody() {
      @Override
      public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
        done.add("ran");
        if (failure.equals("refused")) {
          throw new LdapOperationException(ResultCode.BUSY, failure);
        }
        if (!failure.isEmpty()) {
          throw new IllegalStateException(failure);
        }
        return outcome;
      }

      @Override
      public void arrived(Operation operation) {
        done.add("arrived");
      }

      @Override
      public void ended() {
        done.add("ended");
      }
    };
  }

  /** An extension that fails before or after the operation inside. */
  private static Hooks.Enclosing failing(boolean before, boolean after) {
    return (_, body) ->
        new EnclosedOperation(body) {
          @Override
          public Outcome run(Operation operation, SliceBudget budget)
              throws LdapOperationException {
            if (before) {
              throw new IllegalStateException("before");
            }
            try {
              return body.run(operation, budget);
            } finally {
              if (after) {
                fail();
              }
            }
          }

          private static void fail() {
            throw new IllegalStateException("after");
          }
        };
  }

  private OperationBody guarded(Hooks.Enclosing extension, OperationBody inside) {
    return GuardedBody.of(guard, extension, SEARCH, inside);
  }

  private static Outcome run(OperationBody body) throws LdapOperationException {
    return body.run(null, BUDGET);
  }

  @Test
  void shouldPassOnWhatHappensInside() throws Exception {
    OperationBody yielding = guarded(failing(false, false), inside(Outcome.YIELDED, ""));
    yielding.arrived(null);
    assertThat(run(yielding)).isEqualTo(Outcome.YIELDED);
    yielding.ended();
    assertThatThrownBy(() -> run(guarded(failing(false, false), inside(Outcome.DONE, "inner"))))
        .hasMessage("inner");
    assertThatThrownBy(() -> run(guarded(failing(false, false), inside(Outcome.DONE, "refused"))))
        .isInstanceOf(LdapOperationException.class);
    assertThat(done).containsExactly("arrived", "ran", "ended", "ran", "ran");
    assertThat(told).isEmpty();
  }

  @Test
  void shouldLeaveOperationsAloneThatTheExtensionDoesNotEnclose() {
    OperationBody inside = inside(Outcome.DONE, "");
    assertThat(guarded((_, body) -> body, inside)).isSameAs(inside);
  }

  @Test
  void shouldRefuseWhatARestrictingExtensionFailsIn() {
    for (Hooks.Enclosing extension :
        List.<Hooks.Enclosing>of(
            failing(true, false),
            (_, _) -> {
              throw new IllegalStateException("before");
            })) {
      OperationBody body = guarded(extension, inside(Outcome.DONE, ""));
      body.arrived(null);
      assertThatThrownBy(() -> run(body)).hasRootCauseMessage("before");
      body.ended();
      assertThat(done).containsExactly("arrived", "ended");
      assertThat(told).containsExactly("before");
      done.clear();
      told.clear();
    }
  }

  @Test
  void shouldGoOnWithoutAnExtensionThatRestrictsNothing() throws Exception {
    goesOn = true;
    OperationBody body = guarded(failing(true, false), inside(Outcome.DONE, ""));
    assertThat(run(body)).isEqualTo(Outcome.DONE);
    assertThat(told).containsExactly("before");
    OperationBody inside = inside(Outcome.DONE, "");
    assertThat(guarded((_, _) -> null, inside)).isSameAs(inside);
  }

  /** An answer that was sent stays the only one. */
  @Test
  void shouldKeepTheOutcomeInsideIfTheExtensionFailsAfterIt() throws Exception {
    for (Outcome outcome : List.of(Outcome.DONE, Outcome.PARKED, Outcome.AWAITING_CLIENT)) {
      assertThat(run(guarded(failing(false, true), inside(outcome, "")))).isEqualTo(outcome);
    }
    assertThatThrownBy(() -> run(guarded(failing(false, true), inside(Outcome.DONE, "refused"))))
        .isInstanceOf(LdapOperationException.class);
    assertThatThrownBy(() -> run(guarded(failing(false, true), inside(Outcome.DONE, "inner"))))
        .hasRootCauseMessage("inner");
    assertThat(told).hasSize(5).containsOnly("after");
    assertThat(done).containsOnly("ran");
  }

  @Test
  void shouldEndWhatTheExtensionForgetsToEnd() throws Exception {
    OperationBody body =
        guarded(
            (_, inner) -> (operation, budget) -> inner.run(operation, budget),
            inside(Outcome.DONE, ""));
    body.arrived(null);
    run(body);
    body.ended();
    assertThat(done).containsExactly("arrived", "ran", "ended");
    assertThat(told).containsExactly("it has run an operation, and not passed its end on");
  }

  @Test
  void shouldAskInsideIfTheExtensionCannotAnswer() {
    OperationBody body =
        guarded(
            (_, inner) ->
                new EnclosedOperation(inner) {
                  @Override
                  public Outcome run(Operation operation, SliceBudget budget) {
                    return Outcome.DONE;
                  }

                  @Override
                  public boolean isReady() {
                    throw new IllegalStateException("ready");
                  }

                  @Override
                  public boolean isEndless() {
                    throw new IllegalStateException("endless");
                  }
                },
            inside(Outcome.DONE, ""));
    assertThat(body.isReady()).isTrue();
    assertThat(body.isEndless()).isFalse();
    assertThat(told).containsExactly("ready", "endless");
  }
}
