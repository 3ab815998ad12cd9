package org.nyala.core.directory;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.References;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The services by which entries are found, tested and shown, under one schema and one policy.
 *
 * <p>Thread-safe.
 */
public final class ReadServices {
  private final Schema schema;
  private final ServerLimits limits;
  private final @Nullable Membership membership;
  private final AttributeVisibility visibility;
  private final FilterCompiler filters;
  private final FilterCompiler openFilters;
  private final ReadServices ofAll;
  private final AttributeProviders providers;
  private final ServerSelectors selectors;

  /**
   * Creates the services for the terms in force.
   *
   * @param computesPolicies true if the policies of entries that name none are computed
   */
  ReadServices(
      Schema schema,
      AccessSettings terms,
      @Nullable Membership membership,
      boolean computesPolicies) {
    this.schema = schema;
    this.limits = terms.limits();
    this.membership = membership;
    this.selectors = ServerSelectors.of(schema);
    this.providers = AttributeProviders.of(schema, membership != null, computesPolicies);
    this.visibility = new AttributeVisibility(providers);
    this.filters = filters(visibility);
    this.openFilters = filters(visibility.withHidden());
    this.ofAll = new ReadServices(this);
  }

  /** Creates the services that hide no attribute. */
  private ReadServices(ReadServices hiding) {
    this.schema = hiding.schema;
    this.limits = hiding.limits;
    this.membership = hiding.membership;
    this.visibility = hiding.visibility;
    this.filters = hiding.openFilters;
    this.openFilters = hiding.openFilters;
    this.providers = hiding.providers;
    this.selectors = hiding.selectors;
    this.ofAll = this;
  }

  /**
   * Returns the services for a client: root on the machine itself may also search what is hidden
   * from all others.
   *
   * @param isByRootSafely true for root on the machine itself, or encrypted
   */
  public ReadServices to(boolean isByRootSafely) {
    return isByRootSafely ? ofAll : this;
  }

  private FilterCompiler filters(AttributeSelection.Visibility shown) {
    return new FilterCompiler(
        schema,
        shown,
        limits.requests().filterDepth(),
        limits.requests().filterNodes(),
        limits.memory().assertionBytes(),
        membership);
  }

  public Schema schema() {
    return schema;
  }

  public ServerLimits limits() {
    return limits;
  }

  public FilterCompiler filters() {
    return filters;
  }

  /** Returns the compiler of filters whose items are guarded by access rules, hidden or not. */
  public FilterCompiler openFilters() {
    return openFilters;
  }

  /** Returns the table of the attributes: where their values come from, and their uses. */
  public AttributeProviders providers() {
    return providers;
  }

  /** Returns the rules by which {@code memberOf} is computed; null if it is not. */
  public @Nullable Membership membership() {
    return membership;
  }

  public AttributeSelection.Visibility visibility() {
    return visibility;
  }

  /** Returns the visibility of attributes to root on the machine itself. */
  public AttributeSelection.Visibility visibilityOfAll() {
    return visibility.withHidden();
  }

  /** Returns whether clients may see values of a type. */
  public boolean isVisible(AttributeType type) {
    return !type.isSecret();
  }

  /** Returns whether a type has values in stored entries. */
  public boolean isStored(AttributeType type) {
    return visibility.isStored(type);
  }

  /**
   * Returns the references among entries, for answers that end with a slice.
   *
   * @throws IllegalStateException if {@code memberOf} is not computed
   */
  public References references(ReadTransaction transaction) {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("memberOf is not computed");
    }
    return new References(transaction, schema, known.maximumGroups(), Pace.OVER);
  }

  /** Returns the selectors of attributes that the server itself reads. */
  public ServerSelectors selectors() {
    return selectors;
  }
}
