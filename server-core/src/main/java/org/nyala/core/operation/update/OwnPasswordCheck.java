package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.rules.Presented;
import org.nyala.core.session.Operation;

/**
 * The check of a modify that replaces the user's own password, before that is hashed: a request
 * that would be refused in any case is refused before costly work is done for it. A request that
 * passes may still be refused later: the entry may change until the writer's turn. An assertion
 * (RFC 4528) is compiled and tested in slices, as far as the writer would at most.
 *
 * <p>Confined to one running operation.
 */
final class OwnPasswordCheck {
  private final OperationContext directory;
  private final SlicePace slice;
  private final AssertionControl.Looks compiling;
  private final AssertionControl.Looks testing;
  private final Presented<ModifyOperation> presented;
  private final boolean manageDsaIt;
  private final boolean isInTransaction;
  private final Compilation compilation;
  private @Nullable FilterNode asserted;
  private @Nullable EntryMatch assertion;
  private @Nullable ModifyOperation prepared;

  /**
   * Creates a check, and refuses the modify if that needs no store.
   *
   * @param isInTransaction true if other updates may change the entry before, so that its present
   *     state proves nothing
   * @throws LdapOperationException to refuse the modify
   */
  OwnPasswordCheck(
      OperationContext directory,
      Request.Modify request,
      Requester requester,
      RequestControls controls,
      boolean isInTransaction)
      throws LdapOperationException {
    this.directory = directory;
    this.isInTransaction = isInTransaction;
    this.compilation = new Compilation(requester.roomForAssertion());
    this.slice = new SlicePace(directory.nanoClock());
    this.compiling = AssertionControl.Looks.ofUpdate(slice);
    this.testing = AssertionControl.Looks.ofWriter(slice);
    UpdateControls read =
        UpdateControls.withoutAssertion(directory.reading(), controls, requester.identity());
    this.asserted = AssertionControl.decode(directory.reading(), controls);
    this.manageDsaIt = read.manageDsaIt();
    this.presented = ModifyOperation.prepare(directory, request, requester, read);
  }

  /**
   * Continues for a slice.
   *
   * @return false if that is over before the end
   * @throws LdapOperationException to refuse the modify
   */
  boolean go(Operation operation, SliceBudget budget) throws LdapOperationException {
    slice.begin(operation, budget);
    ModifyOperation modify = prepared;
    if (modify == null) {
      modify = presented.go(slice);
      prepared = modify;
    }
    return modify != null && isCompiled() && (isInTransaction || isTested(modify));
  }

  private boolean isCompiled() throws LdapOperationException {
    FilterNode filter = asserted;
    if (filter == null) {
      return true;
    }
    CompiledFilter compiled =
        AssertionControl.compile(directory.reading(), filter, compilation.begin(compiling));
    if (compiled == null) {
      if (compiling.isSpent()) {
        throw AssertionControl.tooLong();
      }
      return false;
    }
    assertion = new EntryMatch(compiled);
    asserted = null;
    return true;
  }

  private boolean isTested(ModifyOperation modify) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    try (ReadTransaction read = modify.backend().beginRead()) {
      ClientView known = ClientView.ofServer(directory, read, manageDsaIt);
      if (!known.show(known.find(modify.name()))) {
        throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
      }
      EntryMatch test = assertion;
      return test == null
          || AssertionControl.check(
              test, scratch, read.attributes(), directory.probe(read), testing)
          // Others may have had it begin again: the writer decides.
          || testing.isSpent();
    }
  }
}
