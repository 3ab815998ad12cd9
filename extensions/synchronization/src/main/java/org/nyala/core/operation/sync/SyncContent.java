package org.nyala.core.operation.sync;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.SubentryVisibility;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.Reach;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.SecretTypes;

/**
 * The content of a synchronization: the entries of which its client keeps a copy.
 *
 * <p>Confined to one running operation.
 */
final class SyncContent {
  private final SearchPlan plan;
  private final Dn base;
  private final Dn suffix;
  private final boolean isWhole;
  private final boolean canBeFollowed;
  private final boolean isOfEntriesAlone;

  /** The rules for the client by which the content was determined; null without rules. */
  private @Nullable ClientRules rules;

  /**
   * Determines the content of a search.
   *
   * @param suffix the top of the naming context that the base is in
   * @param numbers the attributes that entries have
   */
  SyncContent(SearchPlan plan, Dn base, Dn suffix, AttributeTable numbers) {
    this.plan = plan;
    this.base = base;
    this.suffix = suffix;
    SearchRights rights = plan.rights();
    ClientRules by = rights == null ? null : rights.entries().rules();
    this.rules = by;
    boolean isReadable = rights == null || by == null || uniform(rights, by, numbers) != null;
    boolean asksGroups = rights != null && rights.asksGroups();
    this.canBeFollowed = !asksGroups && isOfEntriesAlone(plan.filter().compiled());
    this.isOfEntriesAlone = isReadable && canBeFollowed;
    this.isWhole =
        isReadable
            && plan.filter().compiled() == CompiledFilter.Constant.TRUE
            && plan.request().scope() == Scope.SUBTREE
            && base.equals(suffix)
            && plan.manageDsaIt()
            && plan.controls().subentries() == SubentryVisibility.BOTH;
  }

  /** Returns whether a filter looks at nothing but the values of an entry. */
  private static boolean isOfEntriesAlone(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.Constant _,
          CompiledFilter.Presence _,
          CompiledFilter.ValueItem _,
          CompiledFilter.SubstringsItem _ ->
          true;
      case CompiledFilter.ExtensibleItem test -> !test.dnAttributes();
      case CompiledFilter.Not not -> isOfEntriesAlone(not.node());
      case CompiledFilter.And and -> areOfEntriesAlone(and.nodes());
      case CompiledFilter.Or or -> areOfEntriesAlone(or.nodes());
      case CompiledFilter.EntryDnItem _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _,
          CompiledFilter.EntryIds _ ->
          false;
    };
  }

  private static boolean areOfEntriesAlone(List<CompiledFilter> nodes) {
    return nodes.stream().allMatch(SyncContent::isOfEntriesAlone);
  }

  /**
   * Returns whether the present rights of the client give it the same content as those before,
   * which are forgotten.
   *
   * @param numbers the attributes that entries have now
   */
  boolean isSameByRights(AttributeTable numbers) {
    SearchRights rights = plan.rights();
    ClientRules before = rules;
    if (rights == null || before == null) {
      return rights == null;
    }
    ClientRules now = rights.entries().rules();
    rules = now;
    SearchRights.Uniform former = uniform(rights, before, numbers);
    SearchRights.Uniform present = uniform(rights, now, numbers);
    return former != null
        && present != null
        && present.attributes().equals(former.attributes())
        && present.filter().isSameAs(former.filter());
  }

  private SearchRights.@Nullable Uniform uniform(
      SearchRights rights, ClientRules by, AttributeTable numbers) {
    return rights.uniform(by, base, plan.request().scope(), numbers);
  }

  /** Returns whether it is all entries of a naming context, whatever they contain. */
  boolean isWhole() {
    return isWhole;
  }

  /**
   * Returns whether its client copies the whole naming context: it reads all entries, and all
   * values, passwords too. What it tells of other servers is taken for true.
   *
   * @param isRoot true if the client is root
   */
  boolean isOfCopy(boolean isRoot) {
    ClientRules by = rules;
    AttributeType password = plan.directory().schema().attributeType(SecretTypes.USER_PASSWORD_OID);
    return isWhole
        && (isRoot
            || by != null
                && password != null
                && by.reach(base, Scope.SUBTREE).of(AttributeDescription.of(password), Right.READ)
                    == Reach.Extent.EVERYWHERE);
  }

  /**
   * Returns whether an entry can enter and leave it by changes of that entry, or of the place of
   * one above it, alone: neither by changes of groups nor of rights.
   */
  boolean isOfEntriesAlone() {
    return isOfEntriesAlone;
  }

  /**
   * Returns whether the journal of changes tells the client no more than it may know. It does not
   * know where entries were that are gone: only if the client may see all of a naming context, none
   * of them was hidden.
   */
  boolean mayUseJournal() {
    boolean isAll = base.equals(suffix) && plan.request().scope() == Scope.SUBTREE;
    return isOfEntriesAlone && (plan.rights() == null || isAll);
  }

  /**
   * Requires that its changes can be told as they are made.
   *
   * @throws LdapOperationException unwillingToPerform if its filter looks at more than the entries
   *     themselves, or nothing is changed here
   */
  void requireFollowable() throws LdapOperationException {
    if (!canBeFollowed) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "the filter looks at more than the entries themselves: only refreshOnly is possible");
    }
    if (plan.directory().updating().isReadOnly()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "a read-only server cannot be followed");
    }
  }

  /**
   * Requires that this server, if it is a copy, is in the middle of no refresh: it has a part of
   * that, of which no number tells.
   *
   * @param source the note of what it is a copy of; null if there is none
   * @throws LdapOperationException busy if it is: the client is to ask again when that is over
   */
  void requireWhole(@Nullable CopySource source) throws LdapOperationException {
    if (source != null && source.isHalf()) {
      throw new LdapOperationException(
          ResultCode.BUSY,
          "this server is a copy itself, and a refresh from its own provider has not ended yet");
    }
  }

  /**
   * Returns whether entries enter and leave it, or get other names unnoticed by the client, when
   * one above them is renamed: it need not be in the content itself.
   */
  boolean dependsOnPlace() {
    Scope scope = plan.request().scope();
    return !isWhole && (scope == Scope.SUBTREE || scope == Scope.SUBORDINATE);
  }

  Dn base() {
    return base;
  }

  /** Returns whether a change gives the base another name, or deletes it. */
  boolean losesBase(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add _, ResolvedChange.Modify _ -> false;
      case ResolvedChange.Delete delete -> base.equals(delete.dn());
      case ResolvedChange.Rename rename -> base.isWithin(rename.dn());
    };
  }

  /** Returns whether a name is in the naming context of the base. */
  boolean isInContext(Dn name) {
    return suffix.equals(plan.directory().contexts().suffixOf(name));
  }

  boolean isInScope(Dn name) {
    return name.isWithin(base) && plan.request().scope().covers(name.rdnCount() - base.rdnCount());
  }

  /**
   * Returns whether the entry that the view of the thread shows is in the content, if its name is
   * in the scope; the plan then shows what its client may see of it.
   *
   * @param table the numbers of the entry's attributes
   * @param isFormer true for the image of an entry before a change: values that are kept apart are
   *     then not known, and an entry that has such ones is taken to match the filter
   * @return null if the slice ends before: another call with the same entry goes on
   */
  @Nullable Boolean has(ReadTransaction transaction, AttributeTable table, boolean isFormer)
      throws LdapOperationException {
    OperationScratch scratch = plan.directory().scratch();
    int flags = scratch.view.flags();
    if (isHidden(flags)) {
      return false;
    }
    StoredEntryFacts facts = plan.directory().probe(transaction);
    Boolean mayShow = plan.mayShowImage(scratch.view, table, facts);
    if (mayShow == null || !mayShow) {
      return mayShow;
    }
    if (isReference(flags) || isFormer && (flags & EntryRecord.LARGE) != 0) {
      return true;
    }
    Ternary value = scratch.match(plan.test(scratch.view), table, facts, plan.pace());
    return value == null ? null : value == Ternary.TRUE;
  }

  /** Returns whether an entry is shown as a reference to another server. */
  boolean isReference(int flags) {
    return (flags & EntryRecord.REFERRAL) != 0 && !plan.manageDsaIt();
  }

  private boolean isHidden(int flags) {
    boolean isSubentry = (flags & EntryRecord.SUBENTRY) != 0;
    return plan.controls().subentries().hides(isSubentry, plan.request().scope());
  }
}
