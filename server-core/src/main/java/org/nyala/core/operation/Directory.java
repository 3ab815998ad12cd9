package org.nyala.core.operation;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.References;
import org.nyala.core.dispatch.SliceLocal;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ExtendedSchema;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.AttributeSelection;
import org.nyala.core.search.AttributeSelector;
import org.nyala.core.search.ComputedAttributes;
import org.nyala.core.search.FilterCompiler;
import org.nyala.core.search.Membership;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.EntryRules;
import org.nyala.core.update.Integrity;
import org.nyala.core.update.OperationalAttributes;

/** What all operations share. Thread-safe. */
final class Directory {
  private static final String REF_OID = "2.16.840.1.113730.3.1.34";
  private static final String ALIASED_OBJECT_NAME_OID = "2.5.4.1";
  private static final String USER_PASSWORD_OID = "2.5.4.35";
  private static final String ENTRY_TTL_OID = "1.3.6.1.4.1.1466.101.119.3";
  private static final String ENTRY_CSN_OID = "1.3.6.1.4.1.4203.666.1.7";

  private final ExtendedSchema extended;
  private final Schema schema;
  private final List<Backend> backends;
  private final NamingContexts contexts;
  private final ClientTerms terms;
  private final AccessPolicy access;
  private final WriteAccess writeAccess;
  private final ServerLimits limits;
  private final LongSupplier nanoClock;
  private final UpdateSettings updates;
  private final Lasting lasting;
  private final @Nullable Membership membership;
  private final AttributeSelection.Visibility visibility;
  private final FilterCompiler filters;
  private final ComputedAttributes computed;
  private final DynamicEntries dynamic;
  private final OperationalAttributes operational;
  private final ChangePolicy changePolicy;
  private final EntryRules rules;
  private final StructureRules structureRules;
  private final VirtualEntry rootDse;
  private final VirtualEntry subschema;
  private final Dn subschemaDn;
  private final @Nullable VirtualTree tree;
  private final Dn treeDn;
  private final @Nullable AttributeSelector ref;
  private final @Nullable AttributeSelector aliasedObjectName;
  private final @Nullable AttributeSelector userPassword;
  private final @Nullable AttributeSelector entryCsn;
  private final SliceLocal<OperationScratch> scratch;

  /** Hides what nobody may see, and the stored values of what is computed. */
  private record Shown(
      AccessPolicy access, @Nullable Membership membership, @Nullable AttributeType entryTtl)
      implements AttributeSelection.Visibility {
    @Override
    public boolean isVisible(AttributeType type) {
      return access.isVisible(type);
    }

    @Override
    public boolean isStored(AttributeType type) {
      return (membership == null || !membership.computes(type)) && !type.equals(entryTtl);
    }
  }

  /** Makes the directory of some stores. */
  Directory(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      Optional<RootAccount> root,
      LongSupplier nanoClock,
      UpdateSettings updates,
      @Nullable VirtualTree tree) {
    this(
        extension(schema, backends),
        backends,
        new ClientTerms(access, limits, root),
        nanoClock,
        updates,
        new Lasting(backends, new ClientTerms(access, limits, root), updates),
        tree);
    takeOver();
    lasting.expiries().values().forEach(EntryExpiry::load);
  }

  private Directory(
      ExtendedSchema extended,
      List<Backend> backends,
      ClientTerms terms,
      LongSupplier nanoClock,
      UpdateSettings updates,
      Lasting lasting,
      @Nullable VirtualTree tree) {
    this.tree = tree;
    this.treeDn = tree == null ? Dn.EMPTY : dn(extended.schema(), tree.top().rdn());
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
    this.changePolicy = new ChangePolicy(integrity.rules(), operational);
    this.membership = integrity.membership();
    this.visibility = new Shown(access, membership, schema.attributeType(ENTRY_TTL_OID));
    this.rules =
        new EntryRules(
            schema, limits.updates().valuesPerAttribute(), type -> !visibility.isStored(type));
    this.structureRules = new StructureRules(schema, rules);
    this.filters =
        new FilterCompiler(
            schema, visibility, limits.filterDepth(), limits.filterNodes(), membership);
    this.computed = ComputedAttributes.of(schema);
    this.dynamic = new DynamicEntries(schema, filters, updates.changingDynamic(), updates.clock());
    this.subschemaDn = dn(schema, ComputedAttributes.SUBSCHEMA_DN);
    this.rootDse =
        VirtualEntry.of(
            RootDse.of(schema, contexts.suffixes(), dynamic.isEnabled(), treeDn.toString()));
    this.subschema =
        VirtualEntry.of(
            SubschemaEntry.of(schema, subschemaDn, lasting.began(), updates.clock().instant()));
    this.ref = selector(schema, REF_OID);
    this.aliasedObjectName = selector(schema, ALIASED_OBJECT_NAME_OID);
    this.userPassword = selector(schema, USER_PASSWORD_OID);
    this.entryCsn = selector(schema, ENTRY_CSN_OID);
    this.scratch = new SliceLocal<>(() -> new OperationScratch(schema, visibility, limits));
  }

  private static Dn dn(Schema schema, String name) {
    try {
      return DnParser.parse(schema, name);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException("the schema does not know cn", e);
    }
  }

  private static @Nullable AttributeSelector selector(Schema schema, String oid) {
    AttributeType type = schema.attributeType(oid);
    return type == null ? null : new AttributeSelector(AttributeDescription.of(type));
  }

  /** The schema of the one store that may extend it, unless another one is served. */
  private static ExtendedSchema extension(Schema schema, List<Backend> backends) {
    ExtendedSchema kept = backends.size() == 1 ? backends.getFirst().extendedSchema() : null;
    return kept == null || kept.schema() != schema ? ExtendedSchema.of(schema) : kept;
  }

  /** The same directory by another schema; takes part in nothing until it takes over. */
  Directory by(ExtendedSchema other) {
    return new Directory(other, backends, terms, nanoClock, updates, lasting, tree);
  }

  /** The same directory on other terms; takes part in nothing until it takes over. */
  Directory on(ClientTerms other) {
    return new Directory(extended, backends, other, nanoClock, updates, lasting, tree);
  }

  /** What clients may do. */
  ClientTerms terms() {
    return terms;
  }

  /**
   * Lets operations begin with this directory, on the terms that have come into force meanwhile.
   */
  void takeOver() {
    lasting.takeOver(this);
  }

  /** Lets operations begin on other terms. */
  void reconfigure(ClientTerms other) {
    lasting.reconfigure(other);
  }

  /** The directory that operations begin with now: another one after the schema has changed. */
  Directory current() {
    return lasting.current().get();
  }

  /** The holder of the directory that operations begin with. */
  CurrentDirectory holder() {
    return lasting.current();
  }

  /** The schema, and what was added to that of the files. */
  ExtendedSchema extendedSchema() {
    return extended;
  }

  /** The store that keeps definitions; null where they cannot be kept. */
  @Nullable Backend schemaBackend() {
    Backend only = backends.size() == 1 ? backends.getFirst() : null;
    return only == null || only.extendedSchema() == null ? null : only;
  }

  /** Whether the name is that of the subschema subentry. */
  boolean isSubschema(Dn name) {
    return name.equals(subschemaDn);
  }

  Schema schema() {
    return schema;
  }

  NamingContexts contexts() {
    return contexts;
  }

  ServerLimits limits() {
    return limits;
  }

  Optional<RootAccount> root() {
    return terms.root();
  }

  FilterCompiler filters() {
    return filters;
  }

  ComputedAttributes computed() {
    return computed;
  }

  /** What dynamic entries are. */
  DynamicEntries dynamic() {
    return dynamic;
  }

  /** What deletes the dynamic entries of a store; null where there are none. */
  @Nullable EntryExpiry expiry(Backend backend) {
    return lasting.expiries().get(backend);
  }

  /** Begins to delete dynamic entries that have expired; never blocks. */
  void expireEntries() {
    lasting.expiries().values().forEach(EntryExpiry::expire);
  }

  /** How {@code memberOf} is computed; null where it is not. */
  @Nullable Membership membership() {
    return membership;
  }

  /** Which attributes are shown. */
  AttributeSelection.Visibility visibility() {
    return visibility;
  }

  /**
   * Finds who refers to whom.
   *
   * @throws IllegalStateException where {@code memberOf} is not computed
   */
  References references(ReadTransaction transaction) {
    Membership known = membership;
    if (known == null) {
      throw new IllegalStateException("memberOf is not computed");
    }
    return new References(transaction, schema, known.maximumGroups());
  }

  /** Answers what filters ask beyond an entry itself. */
  FilterProbe probe(ReadTransaction transaction) {
    return new FilterProbe(this, transaction);
  }

  VirtualEntry rootDse() {
    return rootDse;
  }

  /** Selects the URLs of referral objects; null where the schema has no such attribute. */
  @Nullable AttributeSelector ref() {
    return ref;
  }

  /** Selects the targets of aliases; null where the schema has no such attribute. */
  @Nullable AttributeSelector aliasedObjectName() {
    return aliasedObjectName;
  }

  /** Selects the passwords of entries; null where the schema has no such attribute. */
  @Nullable AttributeSelector userPassword() {
    return userPassword;
  }

  /** What to check a password against when there is nothing else, so that it takes as long. */
  PasswordHash decoy() {
    return lasting.decoy();
  }

  /** Lets the decoy take as long as the passwords that are in use: the slow ones, if there are. */
  void noteScheme(PasswordHash password) {
    lasting.noteScheme(password);
  }

  /** The sorted lists that searches go on in. */
  ViewCache views() {
    return lasting.views();
  }

  /** Seals the cookies of paged results. */
  PageSeals pageSeals() {
    return lasting.pageSeals();
  }

  /** What all operations together may copy of entries to the heap. */
  CopiedValues.Budget copied() {
    return lasting.copied();
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** What the calling thread works with until its slice ends. */
  OperationScratch scratch() {
    return scratch.get();
  }

  /** The entry of this name that no store holds, or null. */
  @Nullable VirtualEntry virtualEntry(Dn name) {
    if (name.rdnCount() == 0) {
      return rootDse;
    }
    return name.rdnCount() == 1 && name.equals(subschemaDn) ? subschema : null;
  }

  /** The entries that no store holds and that only root sees; null where there are none. */
  @Nullable VirtualTree tree() {
    return tree;
  }

  /** Whether the name is that of such an entry, if it exists. */
  boolean isInTree(Dn name) {
    return tree != null && name.isWithin(treeDn);
  }

  /**
   * The store that holds the name.
   *
   * @throws LdapOperationException noSuchObject when there is none, or the identity may not know
   */
  Backend backendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    Backend backend = access.mayReadEntries(identity) ? contexts.backendOf(name) : null;
    if (backend == null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    return backend;
  }

  /** Says who may change what. */
  WriteAccess writeAccess() {
    return writeAccess;
  }

  /** How new passwords are stored. */
  PasswordScheme passwordScheme() {
    return updates.passwordScheme();
  }

  /** Not predictable. */
  RandomGenerator random() {
    return updates.random();
  }

  /** Passes on what is committed. */
  ChangeFeed feed() {
    return lasting.feed();
  }

  /** Selects change sequence numbers; null where the schema has no such attribute. */
  @Nullable AttributeSelector entryCsn() {
    return entryCsn;
  }

  /** Tells how searches are carried out; null where nothing does. */
  @Nullable SearchExplainers explainers() {
    return lasting.explainers();
  }

  /** Has somebody tell how searches are carried out. */
  void explainBy(SearchExplainers explainers) {
    lasting.explainBy(explainers);
  }

  /** The writers of the stores. */
  ChangeWriters writers() {
    return lasting.writers();
  }

  /** What the writers go by. */
  ChangePolicy changePolicy() {
    return changePolicy;
  }

  /** What the server itself writes into entries. */
  OperationalAttributes operational() {
    return operational;
  }

  /** Says what an entry may be. */
  EntryRules rules() {
    return rules;
  }

  /** Says where an entry may be. */
  StructureRules structureRules() {
    return structureRules;
  }

  /** A name for an entry that never changes; another one at each call. */
  UUID newUuid() {
    return updates.uuids().get();
  }

  boolean isVisible(AttributeType type) {
    return access.isVisible(type);
  }
}
