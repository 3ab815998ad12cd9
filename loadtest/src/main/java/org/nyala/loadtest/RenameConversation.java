package org.nyala.loadtest;

/**
 * Renames a random person and renames it back, over and over. Every client has people of its own,
 * so that nobody else takes one while it is away. Confined to the channel's event loop.
 */
final class RenameConversation extends PairConversation {
  private final int clients;
  private final int own;

  RenameConversation(LoadLoop loop, long seed) {
    super(
        loop,
        seed,
        loop.templates().rename(),
        Pdu.RENAME_RESPONSE,
        loop.templates().renameBack(),
        Pdu.RENAME_RESPONSE);
    clients = loop.settings().connections();
    own = (loop.settings().users() - client() + clients - 1) / clients;
  }

  @Override
  int chooseNumber() {
    return client() + clients * randomBelow(own);
  }

  @Override
  long chooseStamp() {
    return 0;
  }
}
