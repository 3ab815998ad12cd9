package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.integrity.MemberCandidates;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.Profile;

/**
 * The filter of a search as it is carried out: as far as the client may test it, its references
 * resolved to candidates if that pays.
 *
 * <p>Confined to one running operation.
 */
public final class SearchFilter {
  /** Members of a group that are looked up at all; of larger groups every candidate is tested. */
  private static final int MEMBERS = 1 << 16;

  private final SearchPlan plan;
  private CompiledFilter asked;
  private CompiledFilter compiled;
  private boolean asksReferences;
  private @Nullable CompiledFilter further;
  private @Nullable EntryMatch test;
  private @Nullable MemberCandidates candidates;
  private @Nullable SteppedCharge charge;

  /** Creates the filter as the client asks for it. */
  SearchFilter(SearchPlan plan, OperationContext directory, CompiledFilter asked) {
    this.plan = plan;
    this.asked = asked;
    this.compiled = asked;
    this.asksReferences = asksReferences(directory, asked);
  }

  private static boolean asksReferences(OperationContext directory, CompiledFilter compiled) {
    return directory.reading().membership() != null && MemberCandidates.isUseful(compiled);
  }

  /**
   * Sets the filter as far as the client may test it below a base, before anything is searched;
   * nothing without access rules.
   *
   * @param base the name of the base, once aliases are followed
   * @param and a further filter that entries must match; null for none
   * @return false if the slice ends before: another call goes on
   * @throws LdapOperationException busy if there is no memory for it
   */
  public boolean aim(Dn base, AttributeTable attributes, @Nullable CompiledFilter and)
      throws LdapOperationException {
    further = and;
    SearchRights known = plan.rights();
    if (known != null) {
      CompiledFilter through =
          known.plan(base, plan.request().scope(), plan.followsAliases(), attributes, plan.pace());
      if (through == null) {
        return false;
      }
      compiled = and == null ? through : FilterCompiler.and(and, through);
      asked = compiled;
      asksReferences = asksReferences(plan.directory(), compiled);
      test = null;
    }
    return true;
  }

  /**
   * Sets the filter as {@link #aim} does, with the same further filter, once other groups may be
   * asked for; its references have to be resolved anew.
   */
  public boolean aimAnew(Dn base, AttributeTable attributes) throws LdapOperationException {
    release();
    candidates = null;
    return aim(base, attributes, further);
  }

  /** Returns what the client may test, references resolved. */
  public CompiledFilter compiled() {
    return compiled;
  }

  /** Returns whether the filter contains tests of references. */
  public boolean asksReferences() {
    return asksReferences;
  }

  /**
   * Resolves the filter's tests of references to candidates if that pays. Memberships are then
   * those of this time until the search ends. If the ids take more memory than the client may have,
   * every candidate is tested.
   *
   * @return false if the slice ends before
   */
  public boolean resolveReferences(ReadTransaction transaction) {
    if (!asksReferences || plan.request().scope() == Scope.BASE || plan.followsAliases()) {
      return true;
    }
    OperationContext directory = plan.directory();
    MemberCandidates looking = candidates;
    if (looking == null) {
      looking = new MemberCandidates(compiled, directory.schema(), MEMBERS);
      candidates = looking;
      charge = new SteppedCharge(plan.memory());
    }
    CompiledFilter resolved =
        looking.resolve(directory.reading().references(transaction), plan.pace());
    SteppedCharge held = charge;
    if (held != null && !held.tryHold(looking.memory())) {
      held.giveBack();
      candidates = null;
      return true;
    }
    if (resolved == null) {
      return false;
    }
    compiled = resolved;
    candidates = null;
    return true;
  }

  /**
   * Gives back the memory of the ids to which references were resolved; called when they are no
   * longer needed.
   */
  public void release() {
    SteppedCharge held = charge;
    if (held != null) {
      held.giveBack();
    }
  }

  /**
   * Returns the test of one entry after the other, once the references are resolved.
   *
   * @param profile the client's rights to the entry at hand; null if there are no access rules
   */
  EntryMatch test(@Nullable Profile profile) {
    SearchRights guard = plan.rights();
    if (guard != null && profile != null && guard.isMixed()) {
      return guard.test(profile);
    }
    EntryMatch known = test;
    if (known == null) {
      known = new EntryMatch(compiled);
      test = known;
    }
    return known;
  }

  /**
   * Returns the test of a changed entry, by the references at the time of the test. A deleted entry
   * may no longer be referred to: memberships at the start are known, unless they were not looked
   * up; see {@link #resolveReferences}.
   *
   * @param going the test of the previous change or slice; null for none
   * @param profile like that of {@link #test}
   */
  public EntryMatch testOfChange(
      @Nullable EntryMatch going, boolean isDeleted, @Nullable Profile profile) {
    if (going != null && going.isSuspended()) {
      return going;
    }
    SearchRights guard = plan.rights();
    boolean isByProfile = guard != null && guard.isMixed();
    return asksReferences && !isDeleted && !isByProfile ? new EntryMatch(asked) : test(profile);
  }
}
