package org.nyala.cluster.raft;

import org.jspecify.annotations.Nullable;

/** The kinds of requests that members answer beside the log, each with its byte on the wire. */
public enum PeerRequestKind {
  /** A change that a client has asked another member for, which the leader makes. */
  FORWARD(1),

  /** A piece of the member's store, for one that lacks it. */
  COPY(2),

  /** The question of a server whether it may become a member, and the request to add it. */
  ADMISSION(3),

  /** A statement about the member itself, and requests that concern its leadership. */
  MEMBER(4),

  /** The question how far a member had come, which it asks before its log starts. */
  ACKNOWLEDGED(5),

  /** The record of a login at another member, which the leader makes. */
  ACCOUNT(6),

  /** The wrong passwords that another member has seen. */
  GUESSES(7);

  private final byte code;

  PeerRequestKind(int code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }

  /** Returns the kind with a code; null if this version has none. */
  static @Nullable PeerRequestKind of(byte code) {
    for (PeerRequestKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }
}
