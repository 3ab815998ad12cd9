package org.nyala.core.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.FilterLimitException;
import org.nyala.core.search.Scope;
import org.nyala.core.search.Ternary;

/**
 * A search (RFC 4511, section 4.5): finds the base, then lets {@link SearchWalk} look below it.
 *
 * <p>Confined to one running operation. Hot.
 */
final class SearchOperation implements OperationBody {
  private final Directory directory;
  private final Request.Search request;
  private @Nullable SearchWalk walk;

  SearchOperation(Directory directory, Request.Search request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchWalk started = walk;
    return started == null ? start(operation, budget) : started.resume(operation, budget);
  }

  private Outcome start(Operation operation, SliceBudget budget) throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    boolean manageDsaIt =
        Controls.manageDsaIt(request.controls(), true, directory.limits().controls());
    checkRequestedAttributes();
    Dn base = scratch.names.parse(request.base());
    CompiledFilter filter = compile();
    AttributeSelection selection =
        scratch.selections.selection(request.attributes(), request.typesOnly());
    VirtualEntry virtual = directory.virtualEntry(base);
    if (virtual != null) {
      show(operation, virtual, filter, selection);
      return Outcome.DONE;
    }
    SearchPlan plan = new SearchPlan(directory, request, filter, selection, manageDsaIt, operation);
    return locate(operation, budget, plan, base);
  }

  private void checkRequestedAttributes() throws LdapOperationException {
    int maximum = directory.limits().requestedAttributes();
    if (request.attributes().size() > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " attributes requested");
    }
  }

  private CompiledFilter compile() throws LdapOperationException {
    try {
      return directory.filters().compile(request.filter());
    } catch (FilterLimitException e) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, e.getMessage() == null ? "filter" : e.getMessage());
    }
  }

  /** The root DSE shows itself to base searches only; cn=Subschema has nothing below it. */
  private void show(
      Operation operation,
      VirtualEntry virtual,
      CompiledFilter filter,
      AttributeSelection selection)
      throws LdapOperationException {
    Scope scope = request.scope();
    if (virtual == directory.rootDse() && scope != Scope.BASE) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    boolean inScope = scope == Scope.BASE || scope == Scope.SUBTREE;
    OperationScratch scratch = directory.scratch();
    EntryView view = scratch.view;
    virtual.show(view);
    if (inScope
        && scratch.matcher.match(filter, view, virtual.table(), VirtualEntry::hasSubordinates)
            == Ternary.TRUE) {
      operation.sink().entry(view, virtual.table(), selection, List.of());
      operation.session().metrics().entriesSent().increment();
    }
    operation.sink().result(request, LdapResult.SUCCESS);
  }

  /** Finds the base, over aliases where the client wants that, and runs the first slice. */
  private Outcome locate(Operation operation, SliceBudget budget, SearchPlan plan, Dn base)
      throws LdapOperationException {
    Dn name = base;
    for (int hops = 0; hops <= directory.limits().aliasDepth(); hops++) {
      Backend backend = backend(name, operation, hops);
      try (ReadTransaction transaction = backend.beginRead()) {
        NameResolution resolution =
            new NameResolution(directory, directory.scratch(), plan.manageDsaIt(), request.scope());
        Dn target =
            request.derefAliases().findingBase() ? resolution.aliasTarget(transaction, name) : null;
        if (target == null) {
          long id = find(resolution, transaction, name, hops);
          SearchWalk started = new SearchWalk(plan, backend, id);
          walk = started;
          return started.slice(operation, transaction, budget);
        }
        name = target;
      }
    }
    throw new LdapOperationException(
        ResultCode.LOOP_DETECT,
        "more than " + directory.limits().aliasDepth() + " aliases one after the other");
  }

  private Backend backend(Dn name, Operation operation, int hops) throws LdapOperationException {
    try {
      return directory.backendOf(name, operation.identity());
    } catch (LdapOperationException e) {
      throw overAliases(e, hops);
    }
  }

  private static long find(
      NameResolution resolution, ReadTransaction transaction, Dn name, int hops)
      throws LdapOperationException {
    try {
      return resolution.find(transaction, name);
    } catch (LdapOperationException e) {
      throw overAliases(e, hops);
    }
  }

  /** An alias that leads nowhere is a problem of its own. */
  private static LdapOperationException overAliases(LdapOperationException e, int hops) {
    return hops > 0 && e.result().code() == ResultCode.NO_SUCH_OBJECT
        ? new LdapOperationException(ResultCode.ALIAS_PROBLEM, "alias to what does not exist")
        : e;
  }
}
