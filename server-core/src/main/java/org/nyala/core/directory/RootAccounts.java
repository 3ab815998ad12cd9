package org.nyala.core.directory;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;

/**
 * The root accounts: at most one of everything, and those of single naming contexts.
 *
 * <p>Immutable. An account of single naming contexts acts as root only in an operation all of whose
 * names are of entries there; in all others it is an ordinary user of its name.
 */
public final class RootAccounts {
  public static final RootAccounts NONE = new RootAccounts(List.of());

  private final List<RootAccount> accounts;
  private final boolean isConfined;

  private RootAccounts(List<RootAccount> accounts) {
    this.accounts = List.copyOf(accounts);
    this.isConfined = accounts.stream().anyMatch(account -> !account.suffixes().isEmpty());
  }

  /**
   * Returns accounts, each of which has a name of its own.
   *
   * @throws IllegalArgumentException if two have the same
   */
  public static RootAccounts of(List<RootAccount> accounts) {
    if (accounts.stream().map(RootAccount::dn).distinct().count() < accounts.size()) {
      throw new IllegalArgumentException("two root accounts of one name");
    }
    return new RootAccounts(accounts);
  }

  /** Returns the one account of everything. */
  public static RootAccounts of(RootAccount account) {
    return new RootAccounts(List.of(account));
  }

  public List<RootAccount> all() {
    return accounts;
  }

  /** Returns the name of the account of everything. */
  public Optional<Dn> ofAll() {
    return accounts.stream()
        .filter(account -> account.suffixes().isEmpty())
        .map(RootAccount::dn)
        .findFirst();
  }

  /** Returns whether there are accounts of single naming contexts. */
  public boolean isConfined() {
    return isConfined;
  }

  /** Returns the account of a name; null if there is none. */
  public @Nullable RootAccount of(Dn name) {
    for (RootAccount account : accounts) {
      if (account.dn().equals(name)) {
        return account;
      }
    }
    return null;
  }

  /** Returns the identity of a name, which may be that of a root account. */
  public BoundIdentity identity(Dn name) {
    RootAccount account = of(name);
    return account == null
        ? new BoundIdentity(name, false)
        : new BoundIdentity(name, account.suffixes().isEmpty(), account.suffixes());
  }

  /** Returns whether an identity that acts as root still is root of as much. */
  public boolean isStillRoot(BoundIdentity identity) {
    RootAccount account = of(identity.dn());
    return account != null
        && (account.suffixes().isEmpty()
            || !identity.suffixes().isEmpty()
                && account.suffixes().containsAll(identity.suffixes()));
  }

  /**
   * Returns the identity as which a client carries out a request about entries: root, if it is the
   * account of naming contexts within which all of its names are, and they still are its own; else
   * the same identity.
   *
   * @param identity the identity of the client, which does not act as root yet
   */
  public BoundIdentity acting(OperationContext directory, BoundIdentity identity, Request request) {
    return switch (request) {
      case Request.Search search -> acting(directory, identity, search.base());
      case Request.Compare compare -> acting(directory, identity, compare.name());
      case Request.Add add -> acting(directory, identity, add.name());
      case Request.Delete delete -> acting(directory, identity, delete.name());
      case Request.Modify modify -> acting(directory, identity, modify.name());
      case Request.ModifyDn move -> {
        BoundIdentity acting = acting(directory, identity, move.name());
        String superior = move.newSuperior();
        boolean isInside = superior == null || acting(directory, identity, superior).equals(acting);
        yield isInside ? acting : identity;
      }
      case Request.Bind _, Request.Unbind _, Request.Abandon _, Request.Extended _ -> identity;
    };
  }

  /** Returns the identity as which a client acts on the entry of a name, given as text. */
  public BoundIdentity acting(OperationContext directory, BoundIdentity identity, String name) {
    if (identity.isRoot() || identity.suffixes().isEmpty()) {
      return identity;
    }
    try {
      return acting(directory, identity, directory.scratch().names.parse(name));
    } catch (LdapOperationException _) {
      // The operation refuses it in its own words.
      return identity;
    }
  }

  /** Returns the identity as which a client acts on the entry of a name. */
  public BoundIdentity acting(OperationContext directory, BoundIdentity identity, Dn name) {
    if (identity.isRoot() || identity.suffixes().isEmpty()) {
      return identity;
    }
    BoundIdentity root = identity.asRoot(still(identity));
    return root.isRootOf(name) && directory.contexts().suffixOf(name) != null ? root : identity;
  }

  /** Returns the naming contexts of which an account was root when it bound, and still is. */
  private Set<Dn> still(BoundIdentity identity) {
    RootAccount account = of(identity.dn());
    if (account == null) {
      return Set.of();
    }
    Set<Dn> now = account.suffixes();
    if (now.isEmpty() || now.containsAll(identity.suffixes())) {
      return identity.suffixes();
    }
    return identity.suffixes().stream().filter(now::contains).collect(Collectors.toSet());
  }
}
