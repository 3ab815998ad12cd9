package org.nyala.core.directory;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dispatch.SliceLocal;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.ComputedAttributes;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.Integrity;
import org.nyala.core.integrity.References;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.OperationalAttributes;

/** Services and settings shared by all operations. Thread-safe. */
public final class OperationContext {
  /** The same message in all cases, so that it reveals nothing about the entries. */
  private static final String UNBOUND =
      "clients that have not bound may not read here (access.anonymousRead)";

  private final ExtendedSchema extended;
  private final Schema schema;
  private final List<Backend> backends;
  private final NamingContexts contexts;
  private final AccessSettings terms;
  private final AccessPolicy access;
  private final WriteAccess writeAccess;
  private final ServerLimits limits;
  private final LongSupplier nanoClock;
  private final UpdateSettings updates;
  private final DirectoryRuntime lasting;
  private final @Nullable Membership membership;
  private final AttributeVisibility visibility;
  private final FilterCompiler filters;
  private final ComputedAttributes computed;
  private final DynamicEntries dynamic;
  private final OperationalAttributes operational;
  private final ChangePolicy changePolicy;
  private final EntryRules rules;
  private final StructureRules structureRules;
  private final @Nullable VirtualTree tree;
  private final Capabilities capabilities;
  private final VirtualEntries virtualEntries;
  private final ServerSelectors selectors;
  private final SliceLocal<OperationScratch> scratch;

  /**
   * Creates the directory of some stores.
   *
   * @param tree the further entries that root may read; null for none
   * @param capabilities the abilities of the operations on it
   */
  public OperationContext(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      Optional<RootAccount> root,
      LongSupplier nanoClock,
      UpdateSettings updates,
      @Nullable VirtualTree tree,
      Capabilities capabilities) {
    this(
        extension(schema, backends),
        backends,
        new AccessSettings(access, limits, root),
        nanoClock,
        updates,
        new DirectoryRuntime(backends, new AccessSettings(access, limits, root), updates),
        tree,
        capabilities);
    takeOver();
    lasting.expiries().values().forEach(EntryExpiry::load);
  }

  private OperationContext(
      ExtendedSchema extended,
      List<Backend> backends,
      AccessSettings terms,
      LongSupplier nanoClock,
      UpdateSettings updates,
      DirectoryRuntime lasting,
      @Nullable VirtualTree tree,
      Capabilities capabilities) {
    this.tree = tree;
    this.capabilities = capabilities;
    this.extended = extended;
    this.schema = extended.schema();
    this.backends = List.copyOf(backends);
    this.contexts = new NamingContexts(backends);
    this.terms = terms;
    this.access = terms.access();
    this.writeAccess = new WriteAccess(contexts, terms.access(), updates.readOnly());
    this.limits = terms.limits();
    this.nanoClock = nanoClock;
    this.updates = updates;
    this.lasting = lasting;
    this.operational = new OperationalAttributes(schema);
    Integrity integrity = updates.integrity().apply(schema);
    this.changePolicy =
        new ChangePolicy(integrity.rules(), operational, limits.updates().ruleLookups());
    this.membership = integrity.membership();
    this.visibility = AttributeVisibility.of(schema, access, membership);
    this.rules =
        new EntryRules(
            schema,
            limits.updates().valuesPerAttribute(),
            type -> !visibility.isStored(type),
            updates.hashBounds());
    this.structureRules = new StructureRules(schema, rules);
    this.filters =
        new FilterCompiler(
            schema,
            visibility,
            limits.requests().filterDepth(),
            limits.requests().filterNodes(),
            limits.memory().assertionBytes(),
            membership);
    this.computed = ComputedAttributes.of(schema);
    this.dynamic = new DynamicEntries(schema, filters, updates.changingDynamic(), updates.clock());
    this.virtualEntries =
        new VirtualEntries(
            schema,
            capabilities,
            contexts.suffixes(),
            dynamic.isEnabled(),
            lasting.began(),
            updates.clock().instant(),
            tree);
    this.selectors = ServerSelectors.of(schema);
    this.scratch = new SliceLocal<>(() -> new OperationScratch(schema, visibility, limits));
  }

  /** The schema of the one store that may extend it, unless another one is served. */
  private static ExtendedSchema extension(Schema schema, List<Backend> backends) {
    ExtendedSchema kept = backends.size() == 1 ? backends.getFirst().extendedSchema() : null;
    return kept == null || kept.schema() != schema ? ExtendedSchema.of(schema) : kept;
  }

  /** Returns the same directory by another schema; it is not in use until it takes over. */
  public OperationContext by(ExtendedSchema other) {
    return new OperationContext(
        other, backends, terms, nanoClock, updates, lasting, tree, capabilities);
  }

  /** Returns the same directory on other terms; it is not in use until it takes over. */
  OperationContext on(AccessSettings other) {
    return new OperationContext(
        extended, backends, other, nanoClock, updates, lasting, tree, capabilities);
  }

  /** Returns the rights and limits of clients. */
  AccessSettings terms() {
    return terms;
  }

  /** Sets this directory for new operations, on the terms that have come into force meanwhile. */
  public void takeOver() {
    lasting.takeOver(this);
  }

  /** Sets other terms for new operations. */
  public void reconfigure(AccessSettings other) {
    lasting.reconfigure(other);
  }

  /** The directory that operations begin with now: another one after the schema has changed. */
  public OperationContext current() {
    return lasting.current().get();
  }

  /** The holder of the directory that operations begin with. */
  public ContextRef holder() {
    return lasting.current();
  }

  /** Returns the schema, and the additions to that of the files. */
  public ExtendedSchema extendedSchema() {
    return extended;
  }

  /** The store that keeps definitions; null if they cannot be kept. */
  public @Nullable Backend schemaBackend() {
    Backend only = backends.size() == 1 ? backends.getFirst() : null;
    return only == null || only.extendedSchema() == null ? null : only;
  }

  public Schema schema() {
    return schema;
  }

  public NamingContexts contexts() {
    return contexts;
  }

  public ServerLimits limits() {
    return limits;
  }

  public Optional<RootAccount> root() {
    return terms.root();
  }

  public FilterCompiler filters() {
    return filters;
  }

  public ComputedAttributes computed() {
    return computed;
  }

  /** Returns the rules of dynamic entries. */
  public DynamicEntries dynamic() {
    return dynamic;
  }

  /** Returns the task that deletes the dynamic entries of a store; null if there are none. */
  @Nullable EntryExpiry expiry(Backend backend) {
    return lasting.expiries().get(backend);
  }

  /** Begins to delete dynamic entries that have expired; never blocks. */
  public void expireEntries() {
    lasting.expiries().values().forEach(EntryExpiry::expire);
  }

  /** Returns the rules by which {@code memberOf} is computed; null if it is not. */
  public @Nullable Membership membership() {
    return membership;
  }

  /** Returns the visibility of attributes to root on the machine itself. */
  public AttributeSelection.Visibility visibilityToRootHere() {
    return visibility.withHidden();
  }

  /** Returns the visibility of attributes. */
  public AttributeSelection.Visibility visibility() {
    return visibility;
  }

  /**
   * Returns the references among entries.
   *
   * @throws IllegalStateException if {@code memberOf} is not computed
   */
  public References references(ReadTransaction transaction) {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("memberOf is not computed");
    }
    return new References(transaction, schema, known.maximumGroups());
  }

  /** Returns the answers to tests that look beyond an entry itself. */
  public StoredEntryFacts probe(ReadTransaction transaction) {
    return new StoredEntryFacts(this, transaction);
  }

  /** The entries that no store holds. */
  public VirtualEntries virtualEntries() {
    return virtualEntries;
  }

  /** Returns the selectors of attributes that the server itself reads. */
  public ServerSelectors selectors() {
    return selectors;
  }

  /**
   * Returns the hashes to check a password against if there is no stored one, so that the check
   * takes as long.
   */
  public Decoys decoys() {
    return lasting.decoys();
  }

  /** Returns the bounds of the work that stored passwords may require. */
  public HashBounds hashBounds() {
    return updates.hashBounds();
  }

  /** Reads a stored password; one that requires more work than the bounds allow is logged. */
  public PasswordHash password(Dn name, byte[] stored) {
    PasswordHash password = PasswordHash.parse(stored, updates.hashBounds());
    String excess = password.isUsable() ? null : updates.hashBounds().excess(stored);
    if (excess != null) {
      lasting.tellOfExcess(name, excess);
    }
    return password;
  }

  /** The sorted lists that searches go on in. */
  public SortedListCache views() {
    return lasting.views();
  }

  /** Seals the cookies of paged results. */
  public PageSeals pageSeals() {
    return lasting.pageSeals();
  }

  public long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Returns the scratch objects of the calling thread, for use until its slice ends. */
  public OperationScratch scratch() {
    return scratch.get();
  }

  /**
   * The store that holds the name.
   *
   * @throws LdapOperationException noSuchObject if there is none, or the identity may not know
   */
  public Backend backendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    if (!access.mayReadEntries(identity)) {
      lasting.tellOfUnbound(UNBOUND);
      throw new LdapOperationException(ResultCode.NO_SUCH_OBJECT, UNBOUND);
    }
    Backend backend = contexts.backendOf(name);
    if (backend == null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    return backend;
  }

  /** Returns the rules for which identity may change which entry. */
  public WriteAccess writeAccess() {
    return writeAccess;
  }

  /** Returns the scheme by which new passwords are stored. */
  public PasswordScheme passwordScheme() {
    return updates.passwordScheme();
  }

  /** Returns a generator of random numbers that are not predictable. */
  public RandomGenerator random() {
    return updates.random();
  }

  /** Returns whether the identity may read entries at all. */
  public boolean mayReadEntries(BoundIdentity identity) {
    return access.mayReadEntries(identity);
  }

  /** The directory that operations begin with now, on the terms of now. */
  public OperationContext now() {
    return lasting.current().get();
  }

  /** Returns the feed of committed changes. */
  public ChangeFeed feed() {
    return lasting.feed();
  }

  /** Returns the explainers of searches; null if there are none. */
  public @Nullable SearchExplainers explainers() {
    return lasting.explainers();
  }

  /** Sets the explainers of searches. */
  public void explainBy(SearchExplainers explainers) {
    lasting.explainBy(explainers);
  }

  /** The writers of the stores. */
  public ChangeWriters writers() {
    return lasting.writers();
  }

  /** Returns the policy that the writers apply to changes. */
  ChangePolicy changePolicy() {
    return changePolicy;
  }

  /** Returns the operational attributes that the server itself writes into entries. */
  public OperationalAttributes operational() {
    return operational;
  }

  /** Returns the rules for the content of entries. */
  public EntryRules rules() {
    return rules;
  }

  /** Returns the rules for the places of entries. */
  public StructureRules structureRules() {
    return structureRules;
  }

  /** A name for an entry that never changes; another one at each call. */
  public UUID newUuid() {
    return updates.uuids().get();
  }

  public boolean isVisible(AttributeType type) {
    return access.isVisible(type);
  }
}
