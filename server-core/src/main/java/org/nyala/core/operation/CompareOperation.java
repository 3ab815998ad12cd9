package org.nyala.core.operation;

import static java.util.Objects.requireNonNull;

import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.PasswordComparison;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.SeenEntry;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.SecretTypes;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.session.TimeLimit;

/** A compare (RFC 4511, section 4.10). Confined to one running operation. */
final class CompareOperation implements OperationBody {
  static final Set<ControlType> CONTROLS =
      Set.of(
          ControlType.MANAGE_DSA_IT,
          ControlType.ASSERTION,
          ControlType.PASSWORD_POLICY,
          ControlType.PROXIED_AUTHORIZATION,
          ControlType.DONT_USE_COPY,
          ControlType.SESSION_TRACKING);

  private final OperationContext directory;
  private final Request.Compare request;
  private final SlicePace pace;
  private final ComparedValue value;
  private @Nullable Progress tests;
  private @Nullable EntryRights rights;
  private @Nullable GuardedFilter guarded;
  private @Nullable PasswordComparison password;
  private @Nullable GroupNames groups;

  CompareOperation(OperationContext directory, Request.Compare request) {
    this.directory = directory;
    this.request = request;
    this.pace = new SlicePace(directory.nanoClock());
    this.value = new ComparedValue(directory, request);
  }

  /** The matches of the entry, as far as they are. */
  private static final class Progress {
    final Dn name;
    final boolean manageDsaIt;
    final TimeLimit timeLimit;
    @Nullable SteppedCharge held;
    @Nullable Compilation compilation;
    @Nullable FilterNode asserted;
    @Nullable EntryMatch required;
    @Nullable EntryMatch assertion;
    @Nullable EntryMatch presence;

    Progress(Dn name, boolean manageDsaIt, TimeLimit timeLimit) {
      this.name = name;
      this.manageDsaIt = manageDsaIt;
      this.timeLimit = timeLimit;
    }
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Progress known = tests;
    if (known == null) {
      known = begin(operation);
      tests = known;
    } else {
      known.timeLimit.check(directory.nanoTime());
    }
    pace.begin(operation, budget);
    if (!isCompiled(operation, known)) {
      return Outcome.YIELDED;
    }
    OperationScratch scratch = directory.scratch();
    VirtualEntry virtual = directory.virtualEntry(operation.session().connection(), known.name);
    ResultCode code;
    if (virtual != null) {
      SeenEntry seen = SeenEntry.of(virtual, scratch.view, rights, pace);
      if (seen == null) {
        return Outcome.YIELDED;
      }
      Profile profile = seen.profile();
      if (profile != null && !mayCompare(profile)) {
        boolean isKnown = profile.allowsEntry(Right.DISCLOSE);
        throw new LdapOperationException(
            LdapResult.of(
                isKnown ? ResultCode.INSUFFICIENT_ACCESS_RIGHTS : ResultCode.NO_SUCH_OBJECT));
      }
      code = compare(operation, known, scratch, seen);
    } else if (rights != null && SecretTypes.isPassword(value.attribute().type())) {
      return comparePassword(operation, known, scratch);
    } else {
      code = compare(operation, known, scratch);
    }
    if (code == null) {
      return Outcome.YIELDED;
    }
    operation.sink().result(request, LdapResult.of(code));
    return Outcome.DONE;
  }

  @Override
  public void ended() {
    PasswordComparison comparing = password;
    if (comparing != null) {
      comparing.close();
    }
    GroupNames left = groups;
    if (left != null) {
      left.ended();
    }
    Progress begun = tests;
    SteppedCharge held = begun == null ? null : begun.held;
    if (held != null) {
      held.giveBack();
    }
  }

  /** Compares a password by the policy of its account. */
  private Outcome comparePassword(Operation operation, Progress known, OperationScratch scratch)
      throws LdapOperationException {
    if (password == null && !isPasswordFound(operation, known, scratch)) {
      return Outcome.YIELDED;
    }
    PasswordComparison comparing = requireNonNull(password);
    PasswordComparison.Step step = comparing.goOn(operation);
    if (step == PasswordComparison.Step.COMPARE) {
      ResultCode code = compare(operation, known, scratch);
      if (code == null) {
        return Outcome.YIELDED;
      }
      if (code != ResultCode.COMPARE_TRUE && code != ResultCode.COMPARE_FALSE) {
        operation.sink().result(request, LdapResult.of(code));
        return Outcome.DONE;
      }
      step = comparing.compared(operation, code == ResultCode.COMPARE_TRUE);
    }
    if (step == PasswordComparison.Step.PARKED) {
      return Outcome.PARKED;
    }
    operation.sink().result(request, comparing.result(operation));
    return Outcome.DONE;
  }

  /** Finds the account of a password that the client may compare; false if the slice ends. */
  private boolean isPasswordFound(Operation operation, Progress known, OperationScratch scratch)
      throws LdapOperationException {
    Backend backend = directory.backendOf(known.name, operation.identity());
    PasswordComparison comparing = directory.accounts().compare(known.name);
    try (ReadTransaction transaction = backend.beginRead()) {
      EntryRights guard = rights;
      ClientView view = ClientView.of(directory, transaction, guard, known.manageDsaIt);
      if (guard != null) {
        guard.beginSlice(backend, transaction);
      }
      long id = view.find(known.name);
      SeenEntry seen = view.see(id, pace);
      if (seen == null) {
        return false;
      }
      Profile profile = seen.profile();
      if (profile != null && !mayCompare(profile)) {
        throw view.refusal(known.name, profile);
      }
      comparing.open(operation, backend, id, scratch.view, transaction);
      password = comparing;
      return true;
    }
  }

  /** Compares carry no time limit of their own. */
  private Progress begin(Operation operation) throws LdapOperationException {
    rights = EntryRights.of(directory.control(), operation.rules());
    RequestControls controls = operation.controls();
    Progress begun =
        new Progress(
            directory.scratch().names.parse(request.name()),
            controls.has(ControlType.MANAGE_DSA_IT),
            TimeLimit.of(directory.limits(), operation, 0));
    begun.asserted = AssertionControl.decode(directory.reading(), controls);
    return begun;
  }

  /** Compiles the assertion; false if the slice ends before. */
  private boolean isCompiled(Operation operation, Progress known) throws LdapOperationException {
    FilterNode asserted = known.asserted;
    if (asserted == null) {
      return true;
    }
    Compilation compilation = known.compilation;
    if (compilation == null) {
      SteppedCharge held = new SteppedCharge(operation.session().memory());
      compilation = new Compilation(held::tryAdd);
      known.held = held;
      known.compilation = compilation;
    }
    if (rights != null) {
      GuardedFilter filter = guarded;
      if (filter == null) {
        filter = AssertionControl.guarded(directory.reading(), asserted);
        guarded = filter;
      }
      boolean isCompiled = AssertionControl.compile(filter, compilation.begin(pace));
      known.asserted = isCompiled ? null : asserted;
      return isCompiled;
    }
    CompiledFilter required =
        AssertionControl.compile(
            directory.reading().to(operation.isByRootSafely()), asserted, compilation.begin(pace));
    if (required == null) {
      return false;
    }
    known.required = new EntryMatch(required);
    known.asserted = null;
    return true;
  }

  private @Nullable ResultCode compare(
      Operation operation, Progress known, OperationScratch scratch) throws LdapOperationException {
    Backend backend = directory.backendOf(known.name, operation.identity());
    try (ReadTransaction transaction = backend.beginRead()) {
      ClientView view = ClientView.of(directory, transaction, rights, known.manageDsaIt);
      EntryRights guard = rights;
      if (guard != null) {
        guard.beginSlice(backend, transaction);
      }
      SeenEntry seen = view.see(view.find(known.name), pace);
      if (seen == null) {
        return null;
      }
      Profile profile = seen.profile();
      if (profile != null && !mayCompare(profile)) {
        throw view.refusal(known.name, profile);
      }
      ResultCode code = compare(operation, known, scratch, seen);
      return code == ResultCode.NO_SUCH_ATTRIBUTE && !known.manageDsaIt
          ? value.compareEffective(transaction, scratch.view)
          : code;
    }
  }

  /** Returns whether the client may compare the value, whether the entry has it or not. */
  private boolean mayCompare(Profile profile) throws LdapOperationException {
    EntryRights guard = rights;
    return guard == null || guard.has(profile, Right.COMPARE, value.attribute(), request.value());
  }

  private GroupNames groups(Operation operation) {
    GroupNames known = groups;
    if (known == null) {
      known = new GroupNames(directory, operation.session().memory(), pace);
      groups = known;
    }
    return known;
  }

  /** Null if the slice ends before it is known. */
  private @Nullable ResultCode compare(
      Operation operation, Progress known, OperationScratch scratch, SeenEntry seen)
      throws LdapOperationException {
    AttributeTable table = seen.table();
    LongPredicate hasSubordinates = seen.facts();
    Profile profile = seen.profile();
    if (!isAsserted(known, scratch, seen)) {
      return null;
    }
    EntryMatch assertion = known.assertion;
    if (assertion == null) {
      ReadTransaction transaction = seen.transaction();
      if (transaction != null && value.isOfOthers(rights)) {
        return value.compareOthers(groups(operation), rights, transaction, scratch.view);
      }
      ComparedValue.Prepared prepared = value.prepare(operation.isByRootSafely(), profile, table);
      assertion = prepared.assertion();
      known.assertion = assertion;
      known.presence = prepared.presence();
    }
    EntryMatch presence = known.presence;
    if (presence != null) {
      Ternary isPresent = scratch.match(presence, table, hasSubordinates, pace);
      if (isPresent != Ternary.TRUE) {
        return isPresent == null ? null : ResultCode.NO_SUCH_ATTRIBUTE;
      }
      known.presence = null;
    }
    Ternary isEqual = scratch.match(assertion, table, hasSubordinates, pace);
    if (isEqual == null) {
      return null;
    }
    return isEqual == Ternary.TRUE ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE;
  }

  /**
   * Returns whether the assertion holds, as far as the client may test it; false if the slice ends
   * before that is known.
   *
   * @throws LdapOperationException assertionFailed unless it holds
   */
  private boolean isAsserted(Progress known, OperationScratch scratch, SeenEntry seen)
      throws LdapOperationException {
    GuardedFilter filter = guarded;
    EntryRights guard = rights;
    Profile profile = seen.profile();
    SteppedCharge held = known.held;
    if (filter != null && guard != null && profile != null && held != null) {
      ReadTransaction transaction = seen.transaction();
      if (transaction == null) {
        filter.hideReferences();
      } else if (!guard.hideGroups(filter, transaction, pace)) {
        return false;
      }
      known.required =
          new EntryMatch(filter.form(guard.guard(profile, seen.table()), held::tryAdd));
      guarded = null;
    }
    EntryMatch required = known.required;
    if (required != null) {
      if (!AssertionControl.check(required, scratch, seen.table(), seen.facts(), pace)) {
        return false;
      }
      known.required = null;
    }
    return true;
  }
}
