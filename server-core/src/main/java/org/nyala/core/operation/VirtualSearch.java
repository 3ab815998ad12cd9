package org.nyala.core.operation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.ComputedAttributes;
import org.nyala.core.search.Scope;
import org.nyala.core.search.Ternary;

/**
 * A search in a {@link VirtualTree}: in the order of the tree, as fast as the client reads.
 *
 * <p>Confined to one running operation.
 */
final class VirtualSearch {
  /** An entry that has yet to be looked at. */
  private record Pending(VirtualTree.Node node, Dn name, int depth) {}

  private final Directory directory;
  private final Request.Search request;
  private final CompiledFilter filter;
  private final AttributeSelection selection;
  private final SearchControls controls;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private int sent;

  private VirtualSearch(
      Directory directory,
      Request.Search request,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls) {
    this.directory = directory;
    this.request = request;
    this.filter = filter;
    this.selection = selection;
    this.controls = controls;
  }

  /**
   * Begins where the request wants to.
   *
   * @throws LdapOperationException noSuchObject where the tree has no such entry, or the control
   *     that asserts something of it fails
   */
  static VirtualSearch at(
      Directory directory,
      VirtualTree tree,
      Request.Search request,
      Dn base,
      CompiledFilter filter,
      AttributeSelection selection,
      SearchControls controls)
      throws LdapOperationException {
    VirtualSearch search = new VirtualSearch(directory, request, filter, selection, controls);
    Pending found = search.find(tree, base);
    OperationScratch scratch = directory.scratch();
    VirtualEntry entry = search.entry(found);
    entry.show(scratch.view);
    AssertionControl.check(
        controls.assertion(), scratch, entry.table(), VirtualEntry::hasSubordinates);
    search.pending.push(found);
    return search;
  }

  private Pending find(VirtualTree tree, Dn base) throws LdapOperationException {
    VirtualTree.Node top = tree.top();
    Pending at = new Pending(top, name(top.rdn()), 0);
    while (!at.name().equals(base)) {
      Pending next = null;
      for (VirtualTree.Node child : at.node().children().get()) {
        Dn name = name(child.rdn()).under(at.name());
        if (base.isWithin(name)) {
          next = new Pending(child, name, 0);
          break;
        }
      }
      if (next == null) {
        throw new LdapOperationException(
            new LdapResult(ResultCode.NO_SUCH_OBJECT, at.name().toString(), "", List.of()));
      }
      at = next;
    }
    return at;
  }

  private Dn name(String rdn) {
    try {
      return DnParser.parse(directory.schema(), rdn);
    } catch (InvalidDnException e) {
      throw new IllegalStateException("a virtual entry has the name " + rdn, e);
    }
  }

  private VirtualEntry entry(Pending of) {
    Entry entry = new Entry(of.name());
    for (Map.Entry<String, List<String>> attribute : of.node().attributes().entrySet()) {
      RootDse.add(directory.schema(), entry, attribute.getKey(), attribute.getValue());
    }
    RootDse.add(directory.schema(), entry, "entryDN", List.of(of.name().toString()));
    RootDse.add(
        directory.schema(), entry, "subschemaSubentry", List.of(ComputedAttributes.SUBSCHEMA_DN));
    return VirtualEntry.of(entry);
  }

  /** Sends what matches, for a while. */
  Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    int left = budget.entries();
    while (!pending.isEmpty()) {
      if (operation.isAbandoned()) {
        throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
      }
      if (!operation.sink().isWritable()) {
        return Outcome.AWAITING_CLIENT;
      }
      if (left-- == 0) {
        return Outcome.YIELDED;
      }
      Pending next = pending.pop();
      if (isInScope(next.depth())) {
        send(operation, entry(next));
      }
      if (goesBelow(next.depth())) {
        queueChildren(next);
      }
    }
    operation.sink().result(request, LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  private boolean isInScope(int depth) {
    return switch (request.scope()) {
      case BASE -> depth == 0;
      case ONE_LEVEL -> depth == 1;
      case SUBTREE -> true;
      case SUBORDINATE -> depth > 0;
    };
  }

  private boolean goesBelow(int depth) {
    Scope scope = request.scope();
    return scope == Scope.SUBTREE
        || scope == Scope.SUBORDINATE
        || scope == Scope.ONE_LEVEL && depth == 0;
  }

  private void queueChildren(Pending of) {
    List<VirtualTree.Node> children = of.node().children().get();
    for (int i = children.size() - 1; i >= 0; i--) {
      VirtualTree.Node child = children.get(i);
      pending.push(new Pending(child, name(child.rdn()).under(of.name()), of.depth() + 1));
    }
  }

  private void send(Operation operation, VirtualEntry entry) throws LdapOperationException {
    if (!matches(entry)) {
      return;
    }
    if (request.sizeLimit() > 0 && sent == request.sizeLimit()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
    }
    sent++;
    show(operation, directory.scratch().view, entry, selection, controls.matchedValues());
  }

  private boolean matches(VirtualEntry entry) {
    OperationScratch scratch = directory.scratch();
    entry.show(scratch.view);
    return scratch.matcher.match(filter, scratch.view, entry.table(), VirtualEntry::hasSubordinates)
        == Ternary.TRUE;
  }

  /**
   * Sends one virtual entry.
   *
   * @param view shows the entry
   */
  static void show(
      Operation operation,
      EntryView view,
      VirtualEntry entry,
      AttributeSelection selection,
      @Nullable MatchedValues matched)
      throws LdapOperationException {
    if (matched == null) {
      operation.sink().entry(view, entry.table(), selection, List.of());
    } else {
      matched.send(operation.sink(), null, view, entry.table(), selection, List.of(), List.of());
    }
    operation.session().metrics().entriesSent().increment();
  }
}
