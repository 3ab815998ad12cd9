package org.nyala.comparison;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.error.ErrorMessages;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderConnection;

/**
 * Compares the entries of two servers by their permanent identifiers: names, user attributes and
 * operational ones. A digest of each entry of the first server is held, 32 bytes; entries that
 * differ are read again, so that what has changed meanwhile and is equal now is no difference.
 *
 * <p>Confined to one thread.
 */
public final class ServerComparison {
  /** The default number of differing entries that are shown. */
  public static final int SHOWN = 500;

  /** Attributes that each server computes. */
  static final Set<String> COMPUTED = Set.copyOf(AttributeProviders.computedNames());

  private final ProviderAccess first;
  private final ProviderAccess second;
  private final String base;
  private final ServerEntries firstEntries;
  private final ServerEntries secondEntries;
  private final Set<String> ignored;
  private final int most;
  private final Consumer<String> differences;
  private final EntryDigests digests = new EntryDigests();
  private final List<String> suspicious = new ArrayList<>();
  private long compared;
  private long different;

  /**
   * Prepares a comparison.
   *
   * @param base the name of the entry at the top of what is compared
   * @param ignored the names of attributes that do not count
   * @param most the differing entries that are shown; all are counted
   * @param differences receives a line for each difference
   * @param idleSeconds the longest time without an entry or a result; 0 for no bound
   */
  public ServerComparison(
      ProviderAccess first,
      ProviderAccess second,
      String base,
      List<String> ignored,
      int most,
      Consumer<String> differences,
      int idleSeconds) {
    this.first = first;
    this.second = second;
    this.base = base;
    this.firstEntries = new ServerEntries(base, idleSeconds);
    this.secondEntries = new ServerEntries(base, idleSeconds);
    this.ignored = new HashSet<>(COMPUTED);
    ignored.forEach(each -> this.ignored.add(each.toLowerCase(Locale.ROOT)));
    this.most = most;
    this.differences = differences;
  }

  /** Returns the number of entries that both servers have. */
  public long compared() {
    return compared;
  }

  /** Returns the parts that could not be read, in words for the summary. */
  public List<String> omissions() {
    List<String> all = firstEntries.omissions(first.url().toString());
    all.addAll(secondEntries.omissions(second.url().toString()));
    return all;
  }

  /** Returns the number of differences. */
  public long different() {
    return different;
  }

  /**
   * Compares. A connection is open only while it is read.
   *
   * @throws LDAPException if a server cannot be read to the end
   * @throws IOException if the files of certificates or of a password cannot be used
   */
  public void run() throws LDAPException, IOException {
    try (ProviderConnection one = ProviderConnection.open(first, _ -> {})) {
      firstEntries.read(
          one,
          entry -> {
            ComparedEntry compared = ComparedEntry.of(entry, ignored);
            digests.add(compared.uuid(), compared.digest());
          },
          "*",
          "+");
    }
    digests.sort();
    digests.repeated(uuid -> different("several times at " + first.url() + ": " + uuid));
    try (ProviderConnection other = ProviderConnection.open(second, _ -> {})) {
      secondEntries.read(other, this::look, "*", "+");
    }
    if (!suspicious.isEmpty() || digests.areLeft()) {
      try (ProviderConnection one = ProviderConnection.open(first, _ -> {});
          ProviderConnection other = ProviderConnection.open(second, _ -> {})) {
        examine(one, other);
      }
    }
  }

  /** Looks an entry of the second server up in what the first one has. */
  private void look(SearchResultEntry entry) {
    ComparedEntry theirs = ComparedEntry.of(entry, ignored);
    int at = digests.find(theirs.uuid());
    if (at < 0) {
      suspicious.add(theirs.dn());
    } else if (!digests.take(at)) {
      different("several times at " + second.url() + ": " + label(theirs));
    } else {
      compared++;
      if (!digests.digest(at).equals(theirs.digest())) {
        suspicious.add(theirs.dn());
      }
    }
  }

  private void examine(ProviderConnection one, ProviderConnection other) throws LDAPException {
    List<String> left = new ArrayList<>();
    if (digests.areLeft()) {
      firstEntries.read(
          one,
          entry -> {
            if (digests.isLeft(ComparedEntry.uuid(entry))) {
              left.add(entry.getDN());
            }
          },
          ComparedEntry.ENTRY_UUID,
          "objectClass");
    }
    for (String dn : suspicious) {
      ComparedEntry theirs = at(other, dn, null);
      if (theirs != null) {
        ComparedEntry mine = at(one, dn, theirs.uuid());
        boolean isElsewhere = mine == null && digests.find(theirs.uuid()) >= 0;
        compare(isElsewhere ? find(one, theirs.uuid()) : mine, theirs);
      }
    }
    for (String dn : left) {
      ComparedEntry mine = at(one, dn, null);
      if (mine != null) {
        compare(mine, at(other, dn, mine.uuid()));
      }
    }
  }

  /** Reads the entry of a name; null if there is none, or it is another one than expected. */
  private @Nullable ComparedEntry at(
      ProviderConnection connection, String dn, @Nullable UUID expected) throws LDAPException {
    ComparedEntry entry =
        single(connection, dn, SearchScope.BASE, Filter.createPresenceFilter("objectClass"));
    return entry == null || expected != null && !expected.equals(entry.uuid()) ? null : entry;
  }

  private @Nullable ComparedEntry find(ProviderConnection connection, UUID uuid)
      throws LDAPException {
    Filter filter = Filter.createEqualityFilter(ComparedEntry.ENTRY_UUID, uuid.toString());
    ComparedEntry entry = single(connection, base, SearchScope.SUB, filter);
    return entry != null || firstEntries.hidesSubentries()
        ? entry
        : single(
            connection,
            base,
            SearchScope.SUB,
            filter,
            new RFC3672SubentriesRequestControl(true, true));
  }

  private @Nullable ComparedEntry single(
      ProviderConnection connection,
      String dn,
      SearchScope scope,
      Filter filter,
      Control... controls)
      throws LDAPException {
    SearchRequest request = new SearchRequest(dn, scope, filter, "*", "+");
    request.addControl(new ManageDsaITRequestControl(true));
    request.addControls(controls);
    try {
      SearchResultEntry entry = connection.connection().searchForEntry(request);
      return entry == null ? null : ComparedEntry.of(entry, ignored);
    } catch (LDAPSearchException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        return null;
      }
      throw e;
    }
  }

  private static String label(ComparedEntry entry) {
    return ErrorMessages.printable(entry.dn()) + " (" + entry.uuid() + ")";
  }

  private void compare(@Nullable ComparedEntry one, @Nullable ComparedEntry other) {
    if (one != null && other != null) {
      List<String> parts = one.differences(other);
      if (!parts.isEmpty() && different("differs: " + label(one))) {
        parts.forEach(part -> differences.accept("  " + part));
      }
    } else if (one != null) {
      different("only at " + first.url() + ": " + label(one));
    } else if (other != null) {
      different("only at " + second.url() + ": " + label(other));
    }
  }

  /** Counts a difference; returns whether it is shown. */
  private boolean different(String line) {
    different++;
    boolean isShown = different <= most;
    if (isShown) {
      differences.accept(line);
    }
    return isShown;
  }

  /**
   * The searches for all entries and all subentries (RFC 3672) below a name, which are passed on as
   * they arrive.
   *
   * <p>Confined to one thread.
   */
  static final class ServerEntries {
    private final String base;
    private final int idleSeconds;

    /** The names of subentries among the entries, by digests: some servers show them there too. */
    private final Set<UUID> subentries = new HashSet<>();

    private boolean hasShown;
    private boolean hidesSubentries;
    private long references;

    /**
     * Prepares for readings.
     *
     * @param idleSeconds the longest time without an entry or a result; 0 for no bound
     */
    ServerEntries(String base, int idleSeconds) {
      this.base = base;
      this.idleSeconds = idleSeconds;
    }

    /**
     * Reads the entries to the last one, then the subentries if the server shows them.
     *
     * @throws LDAPException if the server shows none, refuses some of them, stops answering or ends
     */
    void read(
        ProviderConnection connection, Consumer<SearchResultEntry> reader, String... attributes)
        throws LDAPException {
      hasShown = false;
      references = 0;
      hidesSubentries = false;
      subentries.clear();
      search(
          connection,
          entry -> {
            if (entry.hasObjectClass("subentry") || entry.hasObjectClass("ldapSubentry")) {
              subentries.add(ComparedEntry.key(entry.getDN()));
            }
            reader.accept(entry);
          },
          attributes);
      try {
        search(
            connection,
            entry -> {
              if (!subentries.contains(ComparedEntry.key(entry.getDN()))) {
                reader.accept(entry);
              }
            },
            attributes,
            new RFC3672SubentriesRequestControl(true, true));
      } catch (LDAPException e) {
        if (!e.getResultCode().equals(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION)) {
          throw e;
        }
        hidesSubentries = true;
      }
      if (!hasShown) {
        throw new LDAPException(
            ResultCode.NO_RESULTS_RETURNED, "shows no entry at or below " + base + " (no rights?)");
      }
    }

    private void search(
        ProviderConnection connection,
        Consumer<SearchResultEntry> reader,
        String[] attributes,
        Control... controls)
        throws LDAPException {
      SearchRequest request =
          new SearchRequest(
              new Listener(reader),
              base,
              SearchScope.SUB,
              Filter.createPresenceFilter("objectClass"),
              attributes);
      request.addControl(new ManageDsaITRequestControl(true));
      request.addControls(controls);
      // The SDK takes it for the time until the next message.
      request.setResponseTimeoutMillis(TimeUnit.SECONDS.toMillis(idleSeconds));
      try {
        connection.connection().search(request);
      } catch (LDAPException e) {
        if (e.getResultCode().equals(ResultCode.TIMEOUT)) {
          throw new LDAPException(
              ResultCode.TIMEOUT, "no answer for " + idleSeconds + " seconds (--idle-seconds)", e);
        }
        throw e;
      }
    }

    /** Returns whether the server did not know subentries when it was read last. */
    boolean hidesSubentries() {
      return hidesSubentries;
    }

    /** Returns the parts that the last reading did not get, in words. */
    List<String> omissions(String label) {
      List<String> all = new ArrayList<>();
      if (hidesSubentries) {
        all.add(label + " does not show subentries: they are not compared");
      }
      if (references > 0) {
        all.add(
            label
                + " refers to other servers "
                + references
                + " times: those parts are not compared");
      }
      return all;
    }

    @SuppressWarnings("serial")
    private final class Listener implements SearchResultListener {
      private final transient Consumer<SearchResultEntry> reader;

      Listener(Consumer<SearchResultEntry> reader) {
        this.reader = reader;
      }

      @Override
      public void searchEntryReturned(SearchResultEntry entry) {
        hasShown = true;
        reader.accept(entry);
      }

      @Override
      public void searchReferenceReturned(SearchResultReference reference) {
        references++;
      }
    }
  }

  /**
   * The entries that a server shows to an identity. A connection is open only while it is read.
   *
   * <p>Confined to one thread.
   */
  public static final class ServerSource implements EntrySource {
    private final ProviderAccess access;
    private final EntryAssembly assembly;
    private final ServerEntries entries;

    /**
     * Takes a server, to which no connection is made yet.
     *
     * @param base the name of the entry at the top of what is compared
     * @param idleSeconds the longest time without an entry or a result; 0 for no bound
     */
    public ServerSource(
        ProviderAccess access, EntryAssembly assembly, String base, int idleSeconds) {
      this.access = access;
      this.assembly = assembly;
      this.entries = new ServerEntries(base, idleSeconds);
    }

    @Override
    public String label() {
      return access.url().toString();
    }

    @Override
    public void read(Consumer<ComparedEntry> reader) throws IOException {
      String[] wanted = assembly.isOperational() ? new String[] {"*", "+"} : new String[] {"*"};
      try (ProviderConnection server = ProviderConnection.open(access, _ -> {})) {
        entries.read(server, entry -> reader.accept(assemble(entry)), wanted);
      } catch (LDAPException e) {
        throw failure(e);
      } catch (UncheckedIOException e) {
        @Nullable IOException cause = e.getCause();
        throw failure(cause == null ? e : cause);
      }
    }

    private IOException failure(Exception e) {
      return new IOException(label() + ": " + ErrorMessages.printable(ErrorMessages.line(e)), e);
    }

    @Override
    public List<String> omissions() {
      return entries.omissions(label());
    }

    private ComparedEntry assemble(SearchResultEntry entry) {
      try {
        assembly.begin(entry.getDN().getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      for (Attribute attribute : entry.getAttributes()) {
        for (byte[] value : attribute.getValueByteArrays()) {
          assembly.add(attribute.getName(), value);
        }
      }
      return assembly.end();
    }
  }
}
