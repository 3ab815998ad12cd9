package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.ChangeListener;
import org.nyala.extension.Directory;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Place;

class ExtensionHooksTest {
  private static final Request SEARCH =
      OperationFixture.search(UpdateFixture.TOP, Scope.BASE, OperationFixture.ALL);

  private final UpdateFixture fixture = new UpdateFixture();
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void close() {
    fixture.close();
  }

  private UpdateFixture with(Extension... extensions) {
    fixture.extensions.addAll(List.of(extensions));
    return fixture;
  }

  /** An operation that notes that it runs. */
  private final class Noted extends EnclosedOperation {
    private final String name;

    Noted(String name, OperationBody body) {
      super(body);
      this.name = name;
    }

    @Override
    public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
      seen.add(name);
      return body.run(operation, budget);
    }
  }

  private Extension noting(String name, Place place, Set<OperationType> types) {
    return Extension.of(
        name,
        place,
        _ -> Hooks.enclosing(types, (request, body) -> new Noted(name + request.type(), body)));
  }

  @Test
  void shouldEncloseOperationsOfTheNamedTypesInOrder() {
    Set<OperationType> searches = Set.of(OperationType.SEARCH);
    with(
        noting("inner", Place.BEFORE_OPERATIONS.behind("rights", "outer"), searches),
        noting("outer", Place.BEFORE_OPERATIONS, searches),
        noting("first", Place.ANYWHERE.ahead("strength"), searches));
    assertThat(fixture.code(SEARCH)).isEqualTo(ResultCode.SUCCESS);
    assertThat(seen).containsExactly("firstSEARCH", "outerSEARCH", "innerSEARCH");
    seen.clear();
    assertThat(fixture.code(UpdateFixture.delete(UpdateFixture.LEAF)))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(seen).isEmpty();
    assertThat(fixture.operations().extensions().stream().map(Extension::name))
        .containsExactly(
            "first",
            "strength",
            "controls",
            "confined-root",
            "rights",
            "outer",
            "inner",
            "fixed",
            "delegation");
  }

  @Test
  void shouldAnswerAnOperationInItsPlace() {
    with(
        Extension.of(
            "refusing",
            Place.BEFORE_OPERATIONS,
            _ ->
                Hooks.enclosing(
                    Set.of(OperationType.SEARCH),
                    (request, body) ->
                        (operation, budget) -> {
                          throw new LdapOperationException(ResultCode.BUSY, "not now");
                        })));
    assertThat(fixture.result(SEARCH).code()).isEqualTo(ResultCode.BUSY);
  }

  @Test
  void shouldRefuseChangesByRules() {
    with(
        Extension.of(
            "guarding",
            Place.BEFORE_OPERATIONS,
            _ ->
                Hooks.checking(
                    List.of(
                        (transaction, change, cause, derived, pace) -> {
                          throw new LdapOperationException(
                              ResultCode.CONSTRAINT_VIOLATION, "guarded");
                        }))));
    assertThat(fixture.code(UpdateFixture.delete(UpdateFixture.LEAF)))
        .isEqualTo(ResultCode.CONSTRAINT_VIOLATION);
    assertThat(fixture.stored(UpdateFixture.LEAF)).isNotNull();
  }

  /** An extension whose hooks are counted, and refused if the test says so. */
  private final class Counted implements Extension {
    boolean isRefusing;

    @Override
    public String name() {
      return "counted";
    }

    @Override
    public Hooks hooks(Directory directory) {
      if (isRefusing) {
        throw new IllegalArgumentException("the schema lacks something");
      }
      seen.add("hooks");
      return Hooks.NONE;
    }

    @Override
    public List<ChangeListener> listeners() {
      return List.of(changes -> seen.add("committed " + changes.size()));
    }

    @Override
    public void close() {
      seen.add("closed");
    }
  }

  private void reconfigure() {
    fixture
        .operations()
        .reconfigure(new AccessPolicy(true), ServerLimits.DEFAULT, RootAccounts.NONE);
  }

  @Test
  void shouldBeAskedAnewForOtherTermsAndMayRefuseThem() {
    Counted counted = new Counted();
    with(counted).operations();
    assertThat(seen).containsExactly("hooks");
    reconfigure();
    assertThat(seen).containsExactly("hooks", "hooks");
    counted.isRefusing = true;
    assertThatThrownBy(this::reconfigure)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the schema lacks something");
    assertThat(fixture.code(SEARCH)).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldHearOfCommitsUntilItIsClosed() {
    with(new Counted());
    assertThat(fixture.code(UpdateFixture.delete(UpdateFixture.LEAF)))
        .isEqualTo(ResultCode.SUCCESS);
    fixture.close();
    assertThat(seen).containsExactly("hooks", "committed 1", "closed");
  }
}
