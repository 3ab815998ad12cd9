package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * The terms of a search, prepared from the request once: names parsed, filters compiled, in slices
 * if they are long.
 *
 * <p>Confined to one running operation.
 */
public final class SearchTerms {
  private final OperationContext directory;
  private final Request.Search request;
  private final RequestControls honoured;
  private final MemoryAccount memory;
  private final SearchControls.Filters filters;
  private final Dn base;
  private final boolean isShort;
  private final boolean isByRootHere;
  private @Nullable Compilation compilation;

  /**
   * Reads the terms of a request.
   *
   * @param honoured the controls that the search honours
   * @param memory the account charged for showing values other than as stored
   * @param isByRootHere true if passwords are shown, too
   */
  public SearchTerms(
      OperationContext directory,
      Request.Search request,
      RequestControls honoured,
      MemoryAccount memory,
      boolean isByRootHere)
      throws LdapOperationException {
    this.directory = directory;
    this.request = request;
    this.honoured = honoured;
    this.memory = memory;
    this.isByRootHere = isByRootHere;
    this.filters =
        honoured.isEmpty()
            ? SearchControls.Filters.NONE
            : SearchControls.Filters.read(directory, request, honoured);
    this.isShort = filters.isEmpty() && FilterCompiler.isShort(request.filter());
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
   */
  public record Compiled(
      SearchControls controls,
      @Nullable ListRequest list,
      Dn base,
      CompiledFilter filter,
      AttributeSelection selection) {}

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
    if (isShort) {
      SearchControls controls = SearchControls.read(honoured, null, null);
      return compiled(controls, AssertionControl.compile(directory.reading(), request.filter()));
    }
    Compilation known = compilation;
    if (known == null) {
      known = new Compilation();
      compilation = known;
    }
    return compile(known.begin(pace));
  }

  private @Nullable Compiled compile(Compilation known) throws LdapOperationException {
    CompiledFilter assertion = null;
    if (filters.assertion() != null) {
      assertion = AssertionControl.compile(directory.reading(), filters.assertion(), known);
      if (assertion == null) {
        return null;
      }
    }
    MatchedValues matched = null;
    if (filters.items() != null) {
      matched = MatchedValues.compile(directory.reading(), filters.items(), known, memory);
      if (matched == null) {
        return null;
      }
    }
    CompiledFilter filter = AssertionControl.compile(directory.reading(), request.filter(), known);
    return filter == null
        ? null
        : compiled(SearchControls.read(honoured, assertion, matched), filter);
  }

  private Compiled compiled(SearchControls controls, CompiledFilter filter)
      throws LdapOperationException {
    return new Compiled(
        controls,
        controls.all().isEmpty() ? null : ListRequest.of(controls.all()),
        base,
        filter,
        selection());
  }

  private AttributeSelection selection() {
    return isByRootHere
        ? AttributeSelection.of(
            directory.schema(),
            request.attributes(),
            request.typesOnly(),
            directory.reading().visibilityToRootHere())
        : directory.scratch().selections.selection(request.attributes(), request.typesOnly());
  }
}
