package org.nyala.core.directory;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;

/**
 * The entries of one transaction as one client may know them: names are found, and obstacles
 * reported (a missing entry, a referral, an alias), as if what it may not know did not exist.
 *
 * <p>Confined to one running operation, within one slice.
 */
public final class ClientView {
  private final OperationContext directory;
  private final OperationScratch scratch;
  private final ReadTransaction transaction;
  private final boolean manageDsaIt;
  private final @Nullable Scope scope;
  private final @Nullable EntryRights rights;
  private int rdnsBelowAlias;
  private String alias = "";

  private ClientView(
      OperationContext directory,
      ReadTransaction transaction,
      @Nullable EntryRights rights,
      boolean manageDsaIt,
      @Nullable Scope scope) {
    this.directory = directory;
    this.scratch = directory.scratch();
    this.transaction = transaction;
    this.rights = rights;
    this.manageDsaIt = manageDsaIt;
    this.scope = scope;
  }

  /**
   * Returns the view of a client.
   *
   * @param rights the rights of the client by access rules; null if there are none, or if it is
   *     root: it may know all entries then
   * @param manageDsaIt true if referral objects are treated as ordinary entries
   */
  public static ClientView of(
      OperationContext directory,
      ReadTransaction transaction,
      @Nullable EntryRights rights,
      boolean manageDsaIt) {
    return new ClientView(directory, transaction, rights, manageDsaIt, null);
  }

  /**
   * Returns the view of a client that searches.
   *
   * @param scope the scope, for the URLs of referrals
   */
  public static ClientView of(
      OperationContext directory,
      ReadTransaction transaction,
      @Nullable EntryRights rights,
      boolean manageDsaIt,
      Scope scope) {
    return new ClientView(directory, transaction, rights, manageDsaIt, scope);
  }

  /**
   * Returns the view of the server itself, to which everything is known: for what tells the client
   * nothing of it. {@code ClientViewTest} lists who asks for it.
   *
   * @param manageDsaIt true if referral objects are treated as ordinary entries
   */
  public static ClientView ofServer(
      OperationContext directory, ReadTransaction transaction, boolean manageDsaIt) {
    return new ClientView(directory, transaction, null, manageDsaIt, null);
  }

  /**
   * The entry id of a name; {@link ReadTransaction#NO_ENTRY} for the empty name, below which a
   * store has all its entries.
   *
   * @throws LdapOperationException noSuchObject with the existing part of the name, or a referral
   */
  public long find(Dn name) throws LdapOperationException {
    long id = transaction.find(name);
    if (id == ReadTransaction.NO_ENTRY) {
      if (name.rdnCount() == 0) {
        return id;
      }
      throw missing(name);
    }
    if (!manageDsaIt && transaction.mayHoldReferralsOrAliases()) {
      EntryView view = scratch.other;
      if (transaction.read(id, view) && isReferral(view)) {
        throw mayKnow(view) ? referral(view, name, 0) : missing(name, 1);
      }
    }
    return id;
  }

  /**
   * Moves the view of the thread to an entry, if access rules do not decide about it.
   *
   * @return false if there is none with this id
   * @throws IllegalStateException if they do: see {@link #see}
   */
  public boolean show(long id) {
    if (rights != null) {
      throw new IllegalStateException("an entry without the client's rights to it");
    }
    return transaction.read(id, scratch.view);
  }

  /**
   * Moves the view of the thread to an entry, and finds the client's rights to it.
   *
   * @return null if the slice ends before they are known
   * @throws LdapOperationException noSuchObject if there is none with this id
   */
  public @Nullable SeenEntry see(long id, Pace pace) throws LdapOperationException {
    EntryView view = scratch.view;
    if (!transaction.read(id, view)) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    return SeenEntry.of(
        view, transaction.attributes(), directory.probe(transaction), rights, transaction, pace);
  }

  /**
   * Returns the rights of a client that has some by access rules to the place of a name, whether
   * there is an entry or not; null if the slice ends before they are known.
   *
   * @param id the id of the entry; {@link ReadTransaction#NO_ENTRY} for none
   */
  public @Nullable Profile rightsTo(Dn name, long id, Pace pace) throws LdapOperationException {
    return Objects.requireNonNull(rights)
        .ofBase(name, id, transaction, scratch.view, directory.probe(transaction), pace);
  }

  /**
   * Requires that an entry passes a test that its client may make; one that does not exist passes.
   *
   * @return false if the slice ends before that is known
   * @throws LdapOperationException assertionFailed
   */
  public boolean isAsserted(EntryMatch test, long id, Pace pace) throws LdapOperationException {
    return !transaction.read(id, scratch.view)
        || AssertionControl.check(
            test, scratch, transaction.attributes(), directory.probe(transaction), pace);
  }

  /** Returns the reason why there is no entry of this name: a missing entry, or a referral. */
  public LdapOperationException missing(Dn name) throws LdapOperationException {
    return missing(name, transaction.distanceToNearest(name));
  }

  /**
   * Returns the refusal of an operation on an entry that exists: it is the one for an entry that
   * does not, unless the client may know that it does.
   *
   * @param profile the client's rights to the entry
   */
  public LdapOperationException refusal(Dn name, Profile profile) throws LdapOperationException {
    return profile.allowsEntry(Right.DISCLOSE)
        ? new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS))
        : missing(name, 1);
  }

  /**
   * Returns the refusal to add an entry below a parent that exists: it is the one for a parent that
   * does not, unless the client may know that it does; a referral, if the parent is one.
   *
   * @param name the name of the new entry, whether there is one or not
   * @param profile the client's rights to the parent
   */
  public LdapOperationException refusalBelow(Dn name, Profile profile)
      throws LdapOperationException {
    EntryView view = scratch.other;
    boolean isReferral =
        transaction.read(transaction.find(name.parent()), view) && isReferral(view);
    return profile.allowsEntry(Right.DISCLOSE) && !isReferral
        ? new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS))
        : missing(name, 1);
  }

  /**
   * Returns the reason why there is no entry of a name, as far as the client may know: the lowest
   * entry above it, of those that it may know.
   *
   * @param nearest the number of RDNs to strip from the name to get the first entry to look at;
   *     negative if there is none
   */
  private LdapOperationException missing(Dn name, int nearest) throws LdapOperationException {
    EntryView view = scratch.other;
    int distance = nearestKnown(name, nearest, view);
    if (distance < 0) {
      return new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OBJECT));
    }
    if (!manageDsaIt && isReferral(view)) {
      return referral(view, name, distance);
    }
    return new LdapOperationException(
        new LdapResult(ResultCode.NO_SUCH_OBJECT, text(view.dn()), "", List.of()));
  }

  /**
   * Returns the number of RDNs to strip from a name to get the lowest entry that the client may
   * know, and moves a view to it; negative if there is none.
   *
   * @param nearest the number to strip to get the first entry to look at; negative if there is none
   */
  private int nearestKnown(Dn name, int nearest, EntryView view) throws LdapOperationException {
    for (int distance = nearest; distance >= 0 && distance <= name.rdnCount(); distance++) {
      if (!transaction.read(transaction.find(name.ancestor(distance)), view)) {
        return -1;
      }
      if (mayKnow(view)) {
        return distance;
      }
    }
    return -1;
  }

  /** Returns whether the client may know of an entry; its rights are found at once. */
  private boolean mayKnow(EntryView view) throws LdapOperationException {
    EntryRights known = rights;
    if (known == null) {
      return true;
    }
    Profile profile = known.of(view, transaction);
    return profile != null && profile.allowsEntry(Right.DISCLOSE);
  }

  /** Returns the values of an entry that the client may read; its rights are found at once. */
  private List<byte[]> readable(EntryView view, @Nullable AttributeSelector attribute)
      throws LdapOperationException {
    EntryRights known = rights;
    Profile profile = known == null ? null : known.of(view, transaction);
    return SeenValues.of(view, transaction.attributes(), attribute, scratch.values, known, profile);
  }

  private static boolean isReferral(EntryView view) {
    return (view.flags() & EntryRecord.REFERRAL) != 0;
  }

  /** Refers to the URLs that the client may read. */
  private LdapOperationException referral(EntryView view, Dn name, int distance)
      throws LdapOperationException {
    byte[] dn = view.dn();
    List<byte[]> refs = readable(view, directory.reading().selectors().ref());
    List<String> urls = ReferralUrls.of(refs, dn, below(name, distance), scope);
    if (urls.isEmpty()) {
      return new LdapOperationException(ResultCode.OTHER, "referral object without a URL");
    }
    return new LdapOperationException(new LdapResult(ResultCode.REFERRAL, text(dn), "", urls));
  }

  /**
   * The name to go on with when the entry of this name, or the nearest one above that the client
   * may know, is an alias; null if none is in the way.
   *
   * @throws LdapOperationException aliasProblem if the alias does not hold a name;
   *     aliasDereferencingProblem if the client may not read which
   */
  public @Nullable Dn aliasTarget(Dn name) throws LdapOperationException {
    if (!transaction.mayHoldReferralsOrAliases()) {
      return null;
    }
    EntryView view = scratch.other;
    int distance = nearestKnown(name, transaction.distanceToNearest(name), view);
    if (distance < 0 || (view.flags() & EntryRecord.ALIAS) == 0) {
      return null;
    }
    alias = text(view.dn());
    AttributeSelector named = directory.reading().selectors().aliasedObjectName();
    List<byte[]> targets = readable(view, named);
    if (targets.isEmpty() && rights == null) {
      throw problem(alias, "alias without a target");
    }
    if (targets.isEmpty()) {
      throw new LdapOperationException(
          new LdapResult(
              ResultCode.ALIAS_DEREFERENCING_PROBLEM,
              alias,
              "the target of the alias may not be read",
              List.of()));
    }
    rdnsBelowAlias = distance;
    return join(below(name, distance), targets.getFirst());
  }

  /**
   * Returns the result of an operation on a name behind the last alias: an alias to an entry of
   * which the client may know nothing is one to none; a name that is missing below the target is
   * missing like any other.
   *
   * @param name the name behind the alias
   * @param rdnsBelow the number of its RDNs below the target of the alias
   * @param found the result for the name itself
   */
  public LdapOperationException behindAlias(
      Dn name, String lastAlias, int rdnsBelow, LdapOperationException found)
      throws LdapOperationException {
    if (found.result().code() != ResultCode.NO_SUCH_OBJECT) {
      return found;
    }
    EntryView view = scratch.other;
    boolean isTargetKnown =
        rdnsBelow > 0
            && transaction.read(transaction.find(name.ancestor(rdnsBelow)), view)
            && mayKnow(view);
    return isTargetKnown ? found : nowhere(lastAlias);
  }

  /**
   * Returns the result for an alias to an entry that does not exist, as far as a client may know.
   */
  public static LdapOperationException nowhere(String alias) {
    return problem(alias, "alias to an entry that does not exist");
  }

  /** The name of the alias that was met last; empty before any was. */
  public String alias() {
    return alias;
  }

  /** The result for an alias that stands for no entry, with its name (RFC 4511, section 4.1.9). */
  public static LdapOperationException problem(String alias, String diagnostic) {
    return new LdapOperationException(
        new LdapResult(ResultCode.ALIAS_PROBLEM, alias, diagnostic, List.of()));
  }

  /** Returns the number of RDNs of the name below the last alias that was followed. */
  public int rdnsBelowAlias() {
    return rdnsBelowAlias;
  }

  private Dn join(byte[] below, byte[] target) throws LdapOperationException {
    ByteAppender joined = new ByteAppender(below.length + target.length + 1);
    if (below.length > 0) {
      joined.append(below).append(',');
    }
    joined.append(target);
    try {
      return DnParser.parse(
          directory.reading().schema(),
          joined.toByteArray(),
          directory.reading().limits().requests().dnLength(),
          directory.reading().limits().requests().dnRdns());
    } catch (InvalidDnException _) {
      throw problem(alias, "alias to an invalid name");
    }
  }

  /** The first {@code count} RDNs of a name, joined by commas. */
  private static byte[] below(Dn name, int count) {
    ByteAppender joined = new ByteAppender(64);
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        joined.append(',');
      }
      joined.append(name.rdn(i));
    }
    return joined.toByteArray();
  }

  /**
   * Returns the entry from which the client may search, when it gets there by way of an alias;
   * {@link ReadTransaction#NO_ENTRY} if there is none. Leaves views where they are.
   */
  public long searchable(Dn name) throws LdapOperationException {
    long id = transaction.find(name);
    EntryRights known = rights;
    if (known == null || id == ReadTransaction.NO_ENTRY) {
      return id;
    }
    Profile profile = known.at(transaction, id);
    return profile != null && profile.allowsEntry(Right.SEARCH) ? id : ReadTransaction.NO_ENTRY;
  }

  private static String text(byte[] dn) {
    return new String(dn, StandardCharsets.UTF_8);
  }
}
