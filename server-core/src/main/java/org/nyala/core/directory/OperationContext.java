package org.nyala.core.directory;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.MinimumStrength;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.access.RulesText;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.accounts.AccountsService;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.virtual.Capabilities;
import org.nyala.core.directory.virtual.VirtualEntries;
import org.nyala.core.dispatch.SliceLocal;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.Membership;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.RightsService;
import org.nyala.core.sasl.SaslSettings;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.session.ClientConnection;
import org.nyala.extension.Directory;
import org.nyala.extension.Extensions;

/** Services and settings shared by all operations. Thread-safe. */
public final class OperationContext implements Directory {
  /** The same message in all cases, so that it reveals nothing about the entries. */
  private static final String UNBOUND =
      "clients that have not bound may not read here (access.anonymousRead)";

  private final ExtendedSchema extended;
  private final Schema schema;
  private final List<Backend> backends;
  private final NamingContexts contexts;
  private final AccessSettings terms;
  private final AccessPolicy access;
  private final ServerLimits limits;
  private final LongSupplier nanoClock;
  private final UpdateSettings updates;
  private final Extensions extensions;
  private final Extensions.Resolved hooks;
  private final DirectoryRuntime lasting;
  private final AccountControl accounts;
  private final ReadServices reading;
  private final UpdateServices updating;
  private final Capabilities capabilities;
  private final VirtualEntries virtualEntries;
  private final SliceLocal<OperationScratch> scratch;
  private final @Nullable AccessControl control;

  /**
   * Creates the directory of some stores.
   *
   * @param extensions what it does beyond the ten operations
   * @param capabilities the abilities of the operations on it
   * @param rights reads access rules
   * @param accounts decides about binds and passwords
   */
  public OperationContext(
      Schema schema,
      List<Backend> backends,
      AccessPolicy access,
      ServerLimits limits,
      RootAccounts roots,
      LongSupplier nanoClock,
      UpdateSettings updates,
      Extensions extensions,
      Capabilities capabilities,
      RightsService rights,
      AccountsService accounts) {
    this(
        extension(schema, backends),
        backends,
        new AccessSettings(access, limits, roots),
        nanoClock,
        updates,
        new DirectoryRuntime(
            new AccessSettings(access, limits, roots),
            updates,
            extensions.listeners(),
            rights,
            accounts),
        extensions,
        capabilities);
    takeOver();
    extensions.all().forEach(each -> each.opened(this));
  }

  private OperationContext(
      ExtendedSchema extended,
      List<Backend> backends,
      AccessSettings terms,
      LongSupplier nanoClock,
      UpdateSettings updates,
      DirectoryRuntime lasting,
      Extensions extensions,
      Capabilities capabilities) {
    this.capabilities = capabilities;
    this.extended = extended;
    this.schema = extended.schema();
    this.backends = List.copyOf(backends);
    this.contexts = new NamingContexts(backends);
    this.terms = terms;
    this.access = terms.access();
    this.limits = terms.limits();
    this.nanoClock = nanoClock;
    this.updates = updates;
    this.lasting = lasting;
    this.extensions = extensions;
    Membership membership = extensions.membership(schema);
    this.accounts = lasting.accounts().control(this, access, contexts::backendOf);
    this.reading = new ReadServices(schema, terms, membership, accounts.computedPolicy() != null);
    this.control = control(access.rules(), membership);
    this.hooks = extensions.resolve(this);
    this.updating = new UpdateServices(schema, contexts, terms, updates, hooks.rules(), reading);
    this.virtualEntries =
        new VirtualEntries(
            schema,
            capabilities.with(hooks.rootDse()),
            contexts.suffixes(),
            lasting.began(),
            updates.clock().instant(),
            extensions.trees());
    this.scratch =
        new SliceLocal<>(
            () ->
                new OperationScratch(
                    schema, reading.visibility(), reading.visibilityOfAll(), limits));
  }

  /** Reads the access rules by the schema, which was found possible before. */
  private @Nullable AccessControl control(
      @Nullable RulesText rules, @Nullable Membership membership) {
    return rules == null
        ? null
        : lasting.rights().compile(rules, schema, membership, contexts::backendOf, this::probe);
  }

  /** The schema of the one store that may extend it, unless another one is served. */
  private static ExtendedSchema extension(Schema schema, List<Backend> backends) {
    ExtendedSchema kept = backends.size() == 1 ? backends.getFirst().extendedSchema() : null;
    return kept == null || kept.schema() != schema ? ExtendedSchema.of(schema) : kept;
  }

  /**
   * Returns the same directory by another schema, on the current terms; it is not in use until it
   * takes over, and is to be {@linkplain #withdraw withdrawn} if it never will.
   *
   * @throws IllegalArgumentException if the terms do not fit the schema
   */
  public OperationContext by(ExtendedSchema other) {
    return lasting.prepare(this, other);
  }

  OperationContext by(ExtendedSchema other, AccessSettings on) {
    return new OperationContext(
        other, backends, on, nanoClock, updates, lasting, extensions, capabilities);
  }

  /** Returns the same directory on other terms; it is not in use until it takes over. */
  OperationContext on(AccessSettings other) {
    return new OperationContext(
        extended, backends, other, nanoClock, updates, lasting, extensions, capabilities);
  }

  public PolicySettings passwordPolicy() {
    return access.passwordPolicy();
  }

  /** Returns the rights and limits of clients. */
  AccessSettings terms() {
    return terms;
  }

  /** Sets this directory for new operations, on the terms that have come into force meanwhile. */
  public void takeOver() {
    lasting.takeOver(this);
  }

  /** Forgets this directory, whose schema was not stored. */
  public void withdraw() {
    lasting.withdraw(this);
  }

  /**
   * Sets other terms for new operations.
   *
   * @throws IllegalArgumentException if they do not fit the schema; nothing was changed then
   */
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

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public List<Dn> namingContexts() {
    return contexts.suffixes();
  }

  @Override
  public boolean isStored(AttributeType type) {
    return reading.providers().isStored(type);
  }

  public NamingContexts contexts() {
    return contexts;
  }

  @Override
  public ServerLimits limits() {
    return limits;
  }

  public RootAccounts roots() {
    return terms.roots();
  }

  /** Returns the extensions, which stay when schema and terms change. */
  public Extensions extensions() {
    return extensions;
  }

  /** Returns what the extensions do by this schema and on these terms. */
  public Extensions.Resolved hooks() {
    return hooks;
  }

  /** Returns the services by which entries are found, tested and shown. */
  public ReadServices reading() {
    return reading;
  }

  /** Returns the services by which entries are changed. */
  public UpdateServices updating() {
    return updating;
  }

  /** Returns the parts that stay when schema and terms change. */
  public DirectoryRuntime runtime() {
    return lasting;
  }

  /** Returns the answers to tests that look beyond an entry itself. */
  public StoredEntryFacts probe(ReadTransaction transaction) {
    return new StoredEntryFacts(reading, updating.structureRules(), transaction);
  }

  /** The entries that no store holds. */
  public VirtualEntries virtualEntries() {
    return virtualEntries;
  }

  /** Returns the entry of a name that no store holds, as a connection sees it; or null. */
  public @Nullable VirtualEntry virtualEntry(ClientConnection connection, Dn name) {
    return name.rdnCount() == 0
        ? virtualEntries.rootDse(accounts.mechanisms(connection))
        : virtualEntries.at(name);
  }

  /** Returns the accounts, which decide about binds and passwords. */
  public AccountControl accounts() {
    return accounts;
  }

  @Override
  public LongSupplier nanoClock() {
    return nanoClock;
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
    if (backend == null || identity.isConfinedFrom(name)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    return backend;
  }

  /** Returns the encryption that operations take. */
  public MinimumStrength minimumStrength() {
    return access.minimumStrength();
  }

  /** Returns the access rules in force; null if there are none. */
  public @Nullable AccessControl control() {
    return control;
  }

  public SaslSettings sasl() {
    return access.sasl();
  }

  /** Returns whether the identity may read entries at all. */
  public boolean mayReadEntries(BoundIdentity identity) {
    return access.mayReadEntries(identity);
  }
}
