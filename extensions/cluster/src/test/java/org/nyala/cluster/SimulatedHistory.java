package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The updates that clients have sent, and their answers. Each puts a value of its own into one list
 * or both, so that its effect is seen for ever.
 */
final class SimulatedHistory {
  /** The outcome of an update as its client knows it. */
  enum Known {
    UNKNOWN,
    DONE,
    NOT_DONE
  }

  /** An update. */
  final class Sent implements Update {
    private final int number = sent.size();
    private final int kind;
    private final int first;
    private final boolean isRefused;
    private final BooleanSupplier isHeard;
    private final long shape;
    Known known = Known.UNKNOWN;

    /**
     * Creates an update.
     *
     * @param isHeard tells if the client hears the answer
     */
    Sent(Random random, BooleanSupplier isHeard) {
      kind = random.nextInt(6);
      first = random.nextInt(2);
      isRefused = random.nextInt(10) == 0;
      shape = random.nextLong();
      this.isHeard = isHeard;
      sent.add(this);
    }

    String value() {
      return "v" + number;
    }

    List<Dn> lists() {
      return kind == 0 ? SimulatedStorage.LISTS : List.of(SimulatedStorage.LISTS.get(first));
    }

    @Override
    public boolean isComposite() {
      return true;
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      for (Dn list : lists()) {
        long id = context.transaction().find(list);
        context.apply(
            new ResolvedChange.Modify(
                list,
                id,
                List.of(
                    new AttributeChange.Updated(
                        SimulatedStorage.description("description"),
                        List.of(),
                        List.of(value().getBytes(UTF_8))))),
            ChangeCause.SERVER);
      }
      change(context);
      if (isRefused) {
        throw new LdapOperationException(ResultCode.CONSTRAINT_VIOLATION, "refused at its end");
      }
      return LdapResult.SUCCESS;
    }

    /** Changes other entries, so that ids, names and subtrees differ if anything is lost. */
    private void change(UpdateContext context) throws LdapOperationException {
      WriteTransaction store = context.transaction();
      Random random = new Random(shape);
      Dn mine = SimulatedStorage.dn("cn=e" + random.nextInt(8) + "," + SimulatedStorage.TOP);
      long id = store.find(mine);
      if (kind == 1 && id == 0) {
        context.apply(
            new ResolvedChange.Add(
                SimulatedStorage.entry(
                    mine, "objectClass", "device", "cn", "e", "serialNumber", value())),
            ChangeCause.SERVER);
      } else if (kind == 2 && id != 0) {
        context.apply(new ResolvedChange.Delete(mine, id), ChangeCause.SERVER);
      } else if (kind == 3 && id != 0) {
        Dn other = SimulatedStorage.dn("cn=e" + random.nextInt(8) + "," + SimulatedStorage.TOP);
        if (store.find(other) == 0) {
          context.apply(new ResolvedChange.Rename(mine, id, other, List.of()), ChangeCause.SERVER);
        }
      }
    }

    @Override
    public void answer(LdapResult result) {
      if (!isHeard.getAsBoolean()) {
        return;
      }
      if (result.code() == ResultCode.SUCCESS) {
        known = Known.DONE;
      } else if (result.code() != ResultCode.UNAVAILABLE
          || result.message().contains("was not made")) {
        known = Known.NOT_DONE;
      } else if (!result.message().contains("not known")
          && !result.message().contains("the cluster has made the change")
          && !result.message().contains("member of the cluster has stopped")) {
        throw new IllegalStateException("an answer that says nothing: " + result);
      }
    }
  }

  private final List<Sent> sent = new ArrayList<>();

  List<Sent> sent() {
    return sent;
  }

  long done() {
    return sent.stream().filter(each -> each.known == Known.DONE).count();
  }

  /** Returns what is wrong in the lists of a store, given what clients know. */
  List<String> problems(List<List<String>> lists) {
    List<String> problems = new ArrayList<>();
    for (Sent each : sent) {
      int found = 0;
      for (Dn list : each.lists()) {
        int at = SimulatedStorage.LISTS.indexOf(list);
        found += (int) lists.get(at).stream().filter(each.value()::equals).count();
      }
      int whole = each.lists().size();
      if (found != 0 && found != whole) {
        problems.add(each.value() + " is there " + found + " times of " + whole);
      }
      if (each.known == Known.DONE && found == 0) {
        problems.add(each.value() + " was acknowledged and is lost");
      }
      if (each.known == Known.NOT_DONE && found != 0) {
        problems.add(each.value() + " was refused and is there");
      }
    }
    return problems;
  }
}
