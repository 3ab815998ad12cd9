package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.directory.SelectionCache;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.rights.EntryRights;
import org.nyala.extension.AskedSearch;
import org.nyala.extension.EntryControls;

/**
 * The terms of a search, prepared from the request once: names parsed, filters compiled, in slices
 * if they are long.
 *
 * <p>Confined to one running operation.
 */
public final class SearchTerms {
  private final OperationContext directory;
  private final ReadServices reading;
  private final Request.Search request;
  private final RequestControls honoured;
  private final MemoryAccount memory;
  private final SearchControls.Filters filters;
  private final Dn base;
  private final boolean isShort;
  private final boolean isByRootSafely;
  private final @Nullable EntryRights rights;
  private final @Nullable GuardedFilter guarded;
  private final @Nullable GuardedFilter guardedAssertion;
  private final EntryControls.@Nullable Wanted entryControls;
  private @Nullable SteppedCharge held;
  private @Nullable Compilation compilation;

  /**
   * Reads the terms of a request.
   *
   * @param honoured the controls that the search honours
   * @param memory the account charged for showing values other than as stored
   * @param isByRootSafely true if passwords are searched and shown, too
   * @param rights the rights of the client by access rules; null if there are none
   */
  public SearchTerms(
      OperationContext directory,
      Request.Search request,
      RequestControls honoured,
      MemoryAccount memory,
      boolean isByRootSafely,
      @Nullable EntryRights rights)
      throws LdapOperationException {
    this.rights = rights;
    this.directory = directory;
    this.reading = directory.reading().to(isByRootSafely);
    this.request = request;
    this.honoured = honoured;
    this.memory = memory;
    this.isByRootSafely = isByRootSafely;
    this.filters =
        honoured.isEmpty()
            ? SearchControls.Filters.NONE
            : SearchControls.Filters.read(directory, request, honoured);
    FilterNode asserted = filters.assertion();
    this.guarded =
        rights == null ? null : AssertionControl.guarded(directory.reading(), request.filter());
    this.guardedAssertion =
        rights == null || asserted == null
            ? null
            : AssertionControl.guarded(directory.reading(), asserted);
    EntryControls further = directory.hooks().entryControls();
    this.entryControls =
        honoured.isEmpty() || further == null
            ? null
            : further.read(directory, honoured, isByRootSafely || rights != null);
    this.isShort =
        filters.isEmpty() && entryControls == null && FilterCompiler.isShort(request.filter());
    int maximum = directory.limits().requests().requestedAttributes();
    if (request.attributes().size() > maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + maximum + " attributes requested");
    }
    this.base = directory.scratch().names.parse(request.base());
  }

  /**
   * A search as it is carried out.
   *
   * @param controls its decoded controls
   * @param list the part of a list that is wanted; null for everything
   * @param filter the filter; true if rights decide about its items
   * @param rights the rights of the client by access rules; null if there are none
   * @param held the memory of its filters; null for none
   */
  public record Compiled(
      OperationContext directory,
      Request.Search request,
      SearchControls controls,
      @Nullable ListRequest list,
      Dn base,
      CompiledFilter filter,
      AttributeSelection selection,
      @Nullable SearchRights rights,
      @Nullable SteppedCharge held)
      implements AskedSearch {
    @Override
    public RequestControls honoured() {
      return controls.all();
    }

    @Override
    public boolean isListed() {
      return list != null;
    }

    /** Gives back the memory of the filters when the search has ended. Idempotent. */
    public void release() {
      SearchRights known = rights;
      if (known != null) {
        known.release();
      }
      giveBack(held);
    }
  }

  /** Gives back the memory of what was compiled if the search ends before all is. Idempotent. */
  public void release() {
    giveBack(held);
  }

  private static void giveBack(@Nullable SteppedCharge taken) {
    if (taken != null) {
      taken.giveBack();
    }
  }

  private SteppedCharge held() {
    SteppedCharge known = held;
    if (known == null) {
      known = new SteppedCharge(memory);
      held = known;
    }
    return known;
  }

  /** Returns whether compilation takes so much that other operations should not wait for it. */
  public boolean isLong() {
    return !isShort;
  }

  /**
   * Compiles the search.
   *
   * @return null if the slice ends before
   */
  public @Nullable Compiled compile(Pace pace) throws LdapOperationException {
    if (isShort && guarded != null) {
      guarded.compileShort();
      return compiled(
          SearchControls.read(honoured, null, null, null), CompiledFilter.Constant.TRUE);
    }
    if (isShort) {
      SearchControls controls = SearchControls.read(honoured, null, null, null);
      return compiled(controls, AssertionControl.compileShort(reading, request.filter()));
    }
    Compilation known = compilation;
    if (known == null) {
      known = new Compilation(held()::tryAdd);
      compilation = known;
    }
    return compile(known.begin(pace));
  }

  private @Nullable Compiled compile(Compilation known) throws LdapOperationException {
    CompiledFilter assertion = null;
    if (guardedAssertion != null && !AssertionControl.compile(guardedAssertion, known)) {
      return null;
    }
    if (filters.assertion() != null && guardedAssertion == null) {
      assertion = AssertionControl.compile(reading, filters.assertion(), known);
      if (assertion == null) {
        return null;
      }
    }
    MatchedValues matched = null;
    if (filters.items() != null) {
      // Among values that the client may read, whatever rules let it read.
      ReadServices open = directory.reading().to(isByRootSafely || rights != null);
      matched = MatchedValues.compile(open, filters.items(), known, memory);
      if (matched == null) {
        return null;
      }
    }
    CompiledFilter filter =
        guarded == null
            ? AssertionControl.compile(reading, request.filter(), known)
            : AssertionControl.compile(guarded, known) ? CompiledFilter.Constant.TRUE : null;
    return filter == null
        ? null
        : compiled(SearchControls.read(honoured, assertion, matched, entryControls), filter);
  }

  private Compiled compiled(SearchControls controls, CompiledFilter filter)
      throws LdapOperationException {
    AttributeSelection asked = selection();
    return new Compiled(
        directory,
        request,
        controls,
        controls.all().isEmpty()
            ? null
            : ListRequest.of(
                controls.all(),
                directory.limits().requests().requestedAttributes(),
                request.sizeLimit()),
        base,
        filter,
        asked,
        searchRights(asked),
        held);
  }

  private @Nullable SearchRights searchRights(AttributeSelection asked) {
    EntryRights known = rights;
    GuardedFilter filter = guarded;
    return known == null || filter == null
        ? null
        : new SearchRights(known, filter, guardedAssertion, asked, memory, held());
  }

  private SelectionCache selections() {
    OperationScratch scratch = directory.scratch();
    return isByRootSafely || rights != null ? scratch.openSelections : scratch.selections;
  }

  private AttributeSelection selection() {
    return selections().selection(request.attributes(), request.typesOnly());
  }
}
