package org.nyala.core.access.rule;

import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;

/**
 * A condition of a clause: about the user, the connection, or the relation of the user to what is
 * asked for. An anonymous client has no name, so no condition about names holds for it.
 *
 * <p>Immutable.
 */
public sealed interface Condition {
  /** The name with captures that the condition contains, or null. */
  default @Nullable DnPattern pattern() {
    return null;
  }

  /** Returns whether the condition needs an entry or a value, so that limits cannot have it. */
  default boolean isAboutTarget() {
    return false;
  }

  /** The conditions that are complete as they are. */
  enum Plain implements Condition {
    /** The client has not bound. */
    ANONYMOUS("anonymous"),
    /** The client has bound. */
    USERS("users"),
    /** The entry asked for is the user's own. */
    SELF("self"),
    /** The value asked for is the user's own name; no value asked for is none. */
    OWN_VALUE("value self");

    private final String words;

    Plain(String words) {
      this.words = words;
    }

    /** The words of the language. */
    public String words() {
      return words;
    }

    @Override
    public boolean isAboutTarget() {
      return this == SELF || this == OWN_VALUE;
    }
  }

  /**
   * The user's entry is some levels above the entry asked for.
   *
   * @param levels the levels, at least 1
   */
  record Ancestor(int levels) implements Condition {
    @Override
    public boolean isAboutTarget() {
      return true;
    }
  }

  /**
   * The user's entry is some levels below the entry asked for.
   *
   * @param levels the levels, at least 1
   */
  record Descendant(int levels) implements Condition {
    @Override
    public boolean isAboutTarget() {
      return true;
    }
  }

  /**
   * The user's name is in a part of the tree.
   *
   * @param place the part; its captures are those of the rule's target, and <code>{*}</code> fits
   *     any value
   */
  record Named(Place place) implements Condition {
    @Override
    public DnPattern pattern() {
      return place.name();
    }
  }

  /**
   * The user is a member of a group.
   *
   * @param group the group; captures in its name are those of the rule's target
   */
  record InGroup(Group group) implements Condition {
    @Override
    public DnPattern pattern() {
      return group.name();
    }
  }

  /**
   * The user is one of the named people.
   *
   * @param people the people
   */
  record InPeople(People people) implements Condition {}

  /**
   * The user's name is a value of an attribute of the entry asked for.
   *
   * @param attribute the attribute, with its subtypes; its values are names
   */
  record ListedIn(AttributeType attribute) implements Condition {
    @Override
    public boolean isAboutTarget() {
      return true;
    }
  }

  /**
   * The client connects from somewhere.
   *
   * @param origin the network or zone
   */
  record From(Origin origin) implements Condition {}

  /**
   * The connection is protected by at least so many bits.
   *
   * @param kind what protects it
   * @param bits the bits, at least 1
   */
  record Over(Protection kind, int bits) implements Condition {}

  /**
   * The client has bound by a mechanism.
   *
   * @param mechanism {@code simple}, or the name of a SASL mechanism on the wire
   */
  record By(String mechanism) implements Condition {
    /** The name of a bind with a name and a password. */
    public static final String SIMPLE = "simple";
  }

  /** The protection whose bits are counted, as slapd's strength factors do. */
  enum Protection {
    /** The strongest of the others (slapd's {@code ssf}). */
    ANY(""),
    /** TLS ({@code tls_ssf}). */
    TLS("tls"),
    /** A layer of SASL ({@code sasl_ssf}). */
    SASL("sasl"),
    /** The local socket ({@code transport_ssf}). */
    TRANSPORT("transport");

    private final String word;

    Protection(String word) {
      this.word = word;
    }

    /** The word of the language; empty for any. */
    public String word() {
      return word;
    }
  }
}
