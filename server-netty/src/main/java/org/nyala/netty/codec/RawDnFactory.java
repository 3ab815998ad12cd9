package org.nyala.netty.codec;

import org.apache.directory.api.ldap.model.name.Dn;
import org.apache.directory.api.ldap.model.name.DnFactory;
import org.apache.directory.api.ldap.model.name.Rdn;

/**
 * Keeps the names of a request as the strings in which they came: the codec's own parsing costs
 * more than all its other work, and the directory parses names itself.
 *
 * <p>Immutable.
 */
final class RawDnFactory implements DnFactory {
  @Override
  public Dn create(String name) {
    return new RawDn(name);
  }

  @Override
  public Dn create(String... rdns) {
    return new RawDn(String.join(",", rdns));
  }

  /** A name that is not parsed. */
  @SuppressWarnings("serial") // Never serialised; the superclass happens to be Externalizable.
  private static final class RawDn extends Dn {
    private final String raw;

    RawDn(String raw) {
      this.raw = raw;
    }

    @Override
    public String getName() {
      return raw;
    }

    /** The codec takes a new RDN to be the last RDN of a name. */
    @Override
    public int size() {
      return 1;
    }

    @Override
    public Rdn getRdn(int index) {
      return new RawRdn(raw);
    }
  }

  /** A relative name that is not parsed. */
  @SuppressWarnings("serial") // As above.
  private static final class RawRdn extends Rdn {
    private final String raw;

    RawRdn(String raw) {
      this.raw = raw;
    }

    @Override
    public String getName() {
      return raw;
    }
  }
}
