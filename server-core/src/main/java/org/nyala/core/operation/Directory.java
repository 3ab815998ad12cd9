package org.nyala.core.operation;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ExtendedSchema;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.AttributeSelector;
import org.nyala.core.search.ComputedAttributes;
import org.nyala.core.search.FilterCompiler;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.EntryRules;
import org.nyala.core.update.OperationalAttributes;

/** What all operations share. Thread-safe. */
final class Directory {
  private static final String REF_OID = "2.16.840.1.113730.3.1.34";
  private static final String ALIASED_OBJECT_NAME_OID = "2.5.4.1";
  private static final String USER_PASSWORD_OID = "2.5.4.35";
  private static final String ENTRY_CSN_OID = "1.3.6.1.4.1.4203.666.1.7";

  private final Schema schema;
  private final NamingContexts contexts;
  private final AccessPolicy access;
  private final ServerLimits limits;
  private final Optional<RootAccount> root;
  private final LongSupplier nanoClock;
  private final FilterCompiler filters;
  private final ComputedAttributes computed;
  private final UpdateSettings updates;
  private final ChangeFeed feed;
  private final ChangeWriters writers;
  private final OperationalAttributes operational;
  private final EntryRules rules;
  private final StructureRules structureRules;
  private final VirtualEntry rootDse;
  private final VirtualEntry subschema;
  private final Dn subschemaDn;
  private final @Nullable AttributeSelector ref;
  private final @Nullable AttributeSelector aliasedObjectName;
  private final @Nullable AttributeSelector userPassword;
  private final @Nullable AttributeSelector entryCsn;
  private final ViewCache views;
  private final PageSeals pageSeals = PageSeals.random();
  private final ThreadLocal<OperationScratch> scratch;
  private final List<Backend> backends;
  private final ExtendedSchema extended;
  private final CurrentDirectory current;
  private final Instant began;
  private volatile PasswordHash decoy;

  /** Makes the directory of some stores. */
  Directory(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      Optional<RootAccount> root,
      LongSupplier nanoClock,
      UpdateSettings updates) {
    this(extension(schema, backends), backends, access, limits, root, nanoClock, updates, null);
  }

  private Directory(
      ExtendedSchema extended,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      Optional<RootAccount> root,
      LongSupplier nanoClock,
      UpdateSettings updates,
      @Nullable Directory former) {
    Schema schema = extended.schema();
    this.extended = extended;
    this.backends = List.copyOf(backends);
    this.current = former == null ? new CurrentDirectory() : former.current;
    this.schema = schema;
    this.contexts = new NamingContexts(backends);
    this.access = access;
    this.limits = limits;
    this.root = root;
    this.nanoClock = nanoClock;
    this.updates = updates;
    // What has threads or is waited for goes on by every schema.
    this.writers = former == null ? new ChangeWriters(updates, limits.updates()) : former.writers;
    this.operational = new OperationalAttributes(schema);
    this.rules = new EntryRules(schema, limits.updates().valuesPerAttribute());
    this.structureRules = new StructureRules(schema, rules);
    this.filters =
        new FilterCompiler(schema, access::isVisible, limits.filterDepth(), limits.filterNodes());
    this.computed = ComputedAttributes.of(schema);
    this.subschemaDn = subschemaDn(schema);
    this.began = former == null ? updates.clock().instant() : former.began;
    this.rootDse = VirtualEntry.of(RootDse.of(schema, contexts.suffixes()));
    this.subschema =
        VirtualEntry.of(SubschemaEntry.of(schema, subschemaDn, began, updates.clock().instant()));
    this.ref = selector(schema, REF_OID);
    this.aliasedObjectName = selector(schema, ALIASED_OBJECT_NAME_OID);
    this.userPassword = selector(schema, USER_PASSWORD_OID);
    this.decoy =
        former == null
            ? root.map(RootAccount::password).orElseGet(Directory::fastDecoy)
            : former.decoy;
    this.views = new ViewCache((long) limits.sorting().sortMemoryMebibytes() << 20);
    this.scratch =
        ThreadLocal.withInitial(() -> new OperationScratch(schema, access::isVisible, limits));
    if (former == null) {
      current.set(this);
    }
  }

  private static PasswordHash fastDecoy() {
    return PasswordHash.parse(
        PasswordHash.create(PasswordScheme.SSHA512, new byte[16], new Random()));
  }

  private static Dn subschemaDn(Schema schema) {
    try {
      return DnParser.parse(schema, ComputedAttributes.SUBSCHEMA_DN);
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
    return new Directory(other, backends, access, limits, root, nanoClock, updates, this);
  }

  /** Lets operations begin with this directory. */
  void takeOver() {
    current.set(this);
  }

  /** The directory that operations begin with now: another one after the schema has changed. */
  Directory current() {
    return current.get();
  }

  /** The holder of the directory that operations begin with. */
  CurrentDirectory holder() {
    return current;
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
    return root;
  }

  FilterCompiler filters() {
    return filters;
  }

  ComputedAttributes computed() {
    return computed;
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
    return decoy;
  }

  /** Lets the decoy take as long as the passwords that are in use: the slow ones, if there are. */
  void noteScheme(PasswordHash password) {
    if (password.isSlow() && !decoy.isSlow()) {
      decoy = password;
    }
  }

  /** The sorted lists that searches go on in. */
  ViewCache views() {
    return views;
  }

  /** Seals the cookies of paged results. */
  PageSeals pageSeals() {
    return pageSeals;
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

  /**
   * The store that holds the name, to be changed there.
   *
   * @throws LdapOperationException when the directory does not change, no store holds the name, or
   *     the identity may not change its entry
   */
  Backend writableBackendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    checkWritable(identity);
    return changeableBackendOf(name, access.mayWrite(identity, name));
  }

  /**
   * The store that holds the name, for its password to be changed there; else like {@link
   * #writableBackendOf}.
   */
  Backend passwordBackendOf(Dn name, BoundIdentity identity) throws LdapOperationException {
    checkWritable(identity);
    return changeableBackendOf(name, access.mayChangePassword(identity, name));
  }

  /**
   * Checks that the directory changes, and that somebody in particular asks for it.
   *
   * @throws LdapOperationException unwillingToPerform or strongerAuthRequired
   */
  void checkWritable(BoundIdentity identity) throws LdapOperationException {
    if (updates.readOnly()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the directory is read-only");
    }
    if (identity.isAnonymous()) {
      throw new LdapOperationException(
          ResultCode.STRONGER_AUTH_REQUIRED, "changes need authentication");
    }
  }

  private Backend changeableBackendOf(Dn name, boolean allowed) throws LdapOperationException {
    if (!allowed) {
      throw new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
  }

  /** Whether the directory never changes. */
  boolean isReadOnly() {
    return updates.readOnly();
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
    return feed;
  }

  /** Selects change sequence numbers; null where the schema has no such attribute. */
  @Nullable AttributeSelector entryCsn() {
    return entryCsn;
  }

  /** The writers of the stores. */
  ChangeWriters writers() {
    return writers;
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
