package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.OperationFixture.ALL;
import static org.nyala.core.session.OperationFixture.entry;
import static org.nyala.core.session.OperationFixture.search;
import static org.nyala.core.session.OperationFixture.with;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.ber.DecoderFuzz;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.RootAccounts;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.search.SearchControls;
import org.nyala.core.operation.search.SearchTerms;
import org.nyala.core.operation.update.ModifyOperation;
import org.nyala.core.operation.update.UpdateControls;
import org.nyala.core.rights.RightsService;
import org.nyala.core.session.OperationFixture;
import org.nyala.extension.Extensions;

/** Tests that invalid values of controls are rejected, and never cause an internal error. */
final class ControlFuzzTest {
  private static final String TOP = "dc=example,dc=com";

  /** The controls whose values may be any octets, or none. */
  private static final Set<ControlType> OPAQUE =
      EnumSet.of(
          ControlType.PROXIED_AUTHORIZATION, ControlType.TRANSACTION, ControlType.EFFECTIVE_RIGHTS);

  /** Controls that are never rejected, because they only affect the log. */
  private static final Set<ControlType> IGNORED = EnumSet.of(ControlType.SESSION_TRACKING);

  private final OperationContext directory =
      new OperationContext(
          OperationFixture.SCHEMA,
          List.of(),
          new AccessPolicy(true),
          ServerLimits.DEFAULT,
          RootAccounts.NONE,
          () -> 0L,
          UpdateSettings.READ_ONLY,
          Extensions.of(List.of()),
          SampleControls.SUPPORTED.capabilities(false),
          RightsService.NONE,
          AccountsService.NONE);

  private final MemoryAccount memory =
      MemoryBudget.ofHeap(System::nanoTime).open(ControlFuzzTest.class);

  private static RequestControls read(Request request, Set<ControlType> honoured)
      throws LdapOperationException {
    return RequestControls.read(request.controls(), honoured, 1);
  }

  @Test
  void shouldRefuseCutValuesOfSearchControls() {
    for (ControlType type :
        List.of(ControlType.SUBENTRIES, ControlType.ASSERTION, ControlType.MATCHED_VALUES)) {
      DecoderFuzz.check(
          SampleControls.value(type),
          value -> {
            RequestControl control = new RequestControl(type.oid(), true, value);
            Request.Search request = with(search(TOP, Scope.BASE, ALL), control);
            SearchTerms.Compiled compiled =
                new SearchTerms(
                        directory,
                        request,
                        read(request, SearchControls.CONTROLS),
                        memory,
                        false,
                        null)
                    .compile(() -> true);
            assertThat(compiled).isNotNull();
            assertThat(compiled.controls().all().has(type)).isTrue();
          });
    }
  }

  @Test
  void shouldRefuseCutValuesOfUpdateControls() {
    for (ControlType type :
        List.of(ControlType.PRE_READ, ControlType.POST_READ, ControlType.ASSERTION)) {
      DecoderFuzz.check(
          SampleControls.value(type),
          value -> {
            RequestControl control = new RequestControl(type.oid(), true, value);
            Request.Modify request = new Request.Modify(1, TOP, List.of(), List.of(control));
            UpdateControls.read(
                directory.reading(),
                read(request, ModifyOperation.CONTROLS),
                OperationFixture.ROOT,
                false,
                AssertionControl.roomOfServer());
          });
    }
  }

  @Test
  void shouldTakeNothingFromCutSessionTracking() {
    DecoderFuzz.check(
        SampleControls.value(ControlType.SESSION_TRACKING),
        value -> {
          RequestControl control =
              new RequestControl(ControlType.SESSION_TRACKING.oid(), true, value);
          Set<ControlType> all = EnumSet.allOf(ControlType.class);
          SessionTracking tracking =
              SessionTracking.of(RequestControls.read(List.of(control), all, 1));
          if (tracking == null) {
            throw new InvalidBerException("an empty value");
          }
        });
  }

  /** Searches are answered with any value of any control that they honour. */
  @Test
  void shouldAnswerSearchesWithAnyValueOfAnyControl() {
    OperationFixture stored =
        new OperationFixture()
            .store(
                List.of(
                    entry(TOP, "objectClass", "domain", "dc", "example"),
                    entry("cn=a," + TOP, "objectClass", "person", "cn", "a", "sn", "b")),
                false);
    stored.identity = OperationFixture.ROOT;
    for (ControlType type : SearchControls.CONTROLS) {
      byte[] sample = SampleControls.value(type);
      if (sample == null || OPAQUE.contains(type) || IGNORED.contains(type)) {
        continue;
      }
      DecoderFuzz.check(
          sample,
          value -> {
            RequestControl control = new RequestControl(type.oid(), true, value);
            RecordingSink sink = stored.run(with(search(TOP, Scope.SUBTREE, ALL), control));
            if (sink.code() == ResultCode.PROTOCOL_ERROR) {
              throw new LdapOperationException(sink.results.getFirst());
            }
          });
    }
  }
}
