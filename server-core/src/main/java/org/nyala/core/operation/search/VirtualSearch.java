package org.nyala.core.operation.search;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.virtual.RootDse;
import org.nyala.core.directory.virtual.VirtualAttributes;
import org.nyala.core.directory.virtual.VirtualEntries;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;
import org.nyala.extension.SearchStage;

/**
 * A search in a {@link VirtualTree}: in the order of the tree, as fast as the client reads.
 *
 * <p>Confined to one running operation.
 */
public final class VirtualSearch implements SearchStage {
  /** An entry that has yet to be looked at. */
  private record Pending(VirtualTree.Node node, Dn name, int depth) {}

  private final OperationContext directory;
  private final Request.Search request;
  private final SearchControls controls;
  private EntryMatch test;
  private AttributeSelection selection;
  private @Nullable EntryMatch required;
  private final SlicePace pace;
  private final TimeLimit timeLimit;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private @Nullable SearchRights rights;

  /** The entry to which the client's rights are not known yet. */
  private @Nullable VirtualEntry unjudged;

  /** True once the base was judged: entries behind it are shown or passed over. */
  private boolean isBehindBase;

  /** True if there is one entry only, with nothing below. */
  private boolean isAlone;

  private @Nullable VirtualShow asserted;
  private @Nullable VirtualShow showing;
  private LdapResult result = LdapResult.SUCCESS;
  private final int mostEntries;
  private int sent;

  private VirtualSearch(
      OperationContext directory,
      Request.Search request,
      SearchTerms.Compiled asked,
      TimeLimit timeLimit,
      int mostEntries) {
    this.mostEntries = mostEntries;
    this.directory = directory;
    this.request = request;
    this.test = new EntryMatch(asked.filter());
    this.selection = asked.selection();
    this.controls = asked.controls();
    CompiledFilter wanted = controls.assertion();
    this.required = wanted == null ? null : new EntryMatch(wanted);
    this.pace = new SlicePace(directory.nanoClock());
    this.timeLimit = timeLimit;
  }

  /**
   * Begins at the base of the request. Access rules decide about a client other than root; the
   * search ends like one of stored entries if they do not let it search the base.
   *
   * @throws LdapOperationException noSuchObject if the tree has no such entry
   */
  public static VirtualSearch at(
      OperationContext directory,
      VirtualEntries.Tree tree,
      Request.Search request,
      SearchTerms.Compiled asked,
      Operation operation)
      throws LdapOperationException {
    SearchBounds bounds = SearchBounds.of(directory.limits(), request, operation);
    VirtualSearch search =
        new VirtualSearch(directory, request, asked, bounds.time(), bounds.entries());
    SearchRights ofClient = asked.rights();
    search.rights = ofClient;
    Pending found = search.find(tree.tree(), asked.base());
    if (ofClient != null) {
      ofClient.enterTree(tree.top());
      search.unjudged = search.entry(found, found.node().children().get());
    } else if (search.required != null) {
      search.begin(search.entry(found, found.node().children().get()));
    }
    search.pending.push(found);
    return search;
  }

  /**
   * The search of one entry with nothing below, which ends with noSuchObject or
   * insufficientAccessRights if access rules do not let the client search it.
   */
  public static VirtualSearch of(
      OperationContext directory,
      Request.Search request,
      VirtualEntry entry,
      SearchTerms.Compiled asked,
      TimeLimit timeLimit) {
    VirtualSearch search =
        new VirtualSearch(directory, request, asked, timeLimit, request.sizeLimit());
    search.isAlone = true;
    SearchRights rights = asked.rights();
    if (rights == null) {
      search.beginShown(entry, true);
    } else {
      search.unjudged = entry;
      search.rights = rights;
    }
    return search;
  }

  private void beginShown(VirtualEntry entry, boolean mayRead) {
    begin(entry);
    if (mayRead && (request.scope() == Scope.BASE || request.scope() == Scope.SUBTREE)) {
      showing = show(entry);
    }
  }

  /**
   * Restricts the search to what the client may search and see of the entry.
   *
   * @return false if the slice ends before
   */
  private boolean judge() throws LdapOperationException {
    VirtualEntry entry = unjudged;
    SearchRights known = rights;
    if (entry == null || known == null) {
      return true;
    }
    EntryView view = directory.scratch().view;
    entry.show(view);
    known.beginSlice(entry.table());
    Profile profile = known.of(view, entry.table(), VirtualEntry::hasSubordinates, pace);
    if (profile == null) {
      return false;
    }
    unjudged = null;
    if (isBehindBase) {
      if (profile.allowsEntry(Right.READ)) {
        test = known.test(profile);
        selection = known.wholeSelection(profile);
        showing = show(entry);
      }
      return true;
    }
    isBehindBase = true;
    restrict(known, profile, entry);
    beginShown(entry, isAlone && profile.allowsEntry(Right.READ));
    return true;
  }

  private void restrict(SearchRights known, Profile profile, VirtualEntry entry)
      throws LdapOperationException {
    if (!profile.allowsEntry(Right.SEARCH)) {
      boolean isKnown = profile.allowsEntry(Right.DISCLOSE);
      throw new LdapOperationException(
          LdapResult.of(
              isKnown ? ResultCode.INSUFFICIENT_ACCESS_RIGHTS : ResultCode.NO_SUCH_OBJECT));
    }
    known.hideAllGroups();
    test = known.test(profile);
    selection = known.wholeSelection(profile);
    required = known.assertion(profile, entry.table());
  }

  /** The assertion is about the base. */
  private void begin(VirtualEntry base) {
    EntryMatch wanted = required;
    if (wanted != null) {
      asserted = new VirtualShow(directory, base, wanted, null, selection, null);
    }
  }

  /** Ends in another way. */
  public VirtualSearch endWith(LdapResult other) {
    result = other;
    return this;
  }

  private VirtualShow show(VirtualEntry entry) {
    return new VirtualShow(directory, entry, null, test, selection, controls.matchedValues());
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
        // The entries above may be hidden from a client that rules decide about.
        String above = rights == null ? at.name().toString() : "";
        throw new LdapOperationException(
            new LdapResult(ResultCode.NO_SUCH_OBJECT, above, "", List.of()));
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

  private VirtualEntry entry(Pending of, List<VirtualTree.Node> children) {
    Entry entry = new Entry(of.name());
    for (Map.Entry<String, List<String>> attribute : of.node().attributes().entrySet()) {
      RootDse.add(directory.schema(), entry, attribute.getKey(), attribute.getValue());
    }
    VirtualAttributes.addNames(directory.schema(), entry);
    VirtualAttributes.addSubordinates(directory.schema(), entry, !children.isEmpty());
    return VirtualEntry.of(entry);
  }

  @Override
  public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    pace.begin(operation, budget);
    timeLimit.check(directory.nanoTime());
    int left = budget.steps();
    while (unjudged != null || asserted != null || showing != null || !pending.isEmpty()) {
      if (operation.isAbandoned()) {
        throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
      }
      if (!operation.sink().isWritable()) {
        return Outcome.AWAITING_CLIENT;
      }
      if (left-- == 0 || !step(operation)) {
        return Outcome.YIELDED;
      }
    }
    operation.sink().result(request, result);
    return Outcome.DONE;
  }

  /** Continues with the current entry; false if the slice is over. */
  private boolean step(Operation operation) throws LdapOperationException {
    if (unjudged != null) {
      return judge() && pace.goesOn();
    }
    VirtualShow first = asserted;
    if (first != null) {
      if (first.test(pace) == VirtualShow.Step.SUSPENDED) {
        return false;
      }
      asserted = null;
      return pace.goesOn();
    }
    VirtualShow next = showing;
    if (next != null) {
      if (!send(operation, next)) {
        return false;
      }
      showing = null;
      return pace.goesOn();
    }
    Pending of = pending.pop();
    List<VirtualTree.Node> children = of.node().children().get();
    if (isInScope(of.depth())) {
      VirtualEntry made = entry(of, children);
      if (rights == null) {
        showing = show(made);
      } else {
        unjudged = made;
      }
    }
    if (goesBelow(of.depth())) {
      queueChildren(of, children);
    }
    return true;
  }

  private boolean isInScope(int depth) {
    return request.scope().covers(depth);
  }

  private boolean goesBelow(int depth) {
    Scope scope = request.scope();
    return scope == Scope.SUBTREE
        || scope == Scope.SUBORDINATE
        || scope == Scope.ONE_LEVEL && depth == 0;
  }

  private void queueChildren(Pending of, List<VirtualTree.Node> children) {
    for (int i = children.size() - 1; i >= 0; i--) {
      VirtualTree.Node child = children.get(i);
      pending.push(new Pending(child, name(child.rdn()).under(of.name()), of.depth() + 1));
    }
  }

  /** Goes on with an entry; false if the slice is over. */
  private boolean send(Operation operation, VirtualShow entry) throws LdapOperationException {
    VirtualShow.Step step = entry.test(pace);
    if (step == VirtualShow.Step.MATCHED) {
      if (mostEntries > 0 && sent >= mostEntries) {
        throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
      }
      step = entry.send(operation, pace);
      sent += step == VirtualShow.Step.SENT ? 1 : 0;
    }
    return step != VirtualShow.Step.SUSPENDED;
  }

  @Override
  public void ended() {
    MatchedValues matched = controls.matchedValues();
    if (matched != null) {
      matched.ended();
    }
  }
}
